package io.fdt.client;

import io.fdt.core.node.Node;
import io.fdt.core.transport.Transport;
import io.fdt.udt.transport.UdtTransport;

/** The transport of data; control always uses TCP. */
public enum DataTransport {
  TCP,
  /** UDP with the UDT protocol, which the server must accept. */
  UDT,
  /**
   * TCP, and UDP where that is faster: on long paths where losses, or the system's buffers, limit
   * TCP. Decided during the transfer.
   */
  AUTO;

  Transport.Factory factory() {
    return switch (this) {
      case TCP -> Node.TCP;
      case UDT -> UdtTransport.UDP;
      case AUTO -> UdtTransport.AUTO;
    };
  }
}
