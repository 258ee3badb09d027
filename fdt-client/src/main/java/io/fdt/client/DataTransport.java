package io.fdt.client;

import io.fdt.core.node.Node;
import io.fdt.core.transport.Transport;

/** How data reaches the other end; control always goes over TCP. */
public enum DataTransport {
  /** Over TCP. */
  TCP,
  /** Over UDP with the protocol UDT, which the server must take. */
  UDT,
  /**
   * Over TCP, and over UDP where that carries more: on long paths on which losses, or the system's
   * buffers, hold TCP back. Tried during the transfer.
   */
  AUTO;

  Transport.Factory factory() {
    return switch (this) {
      case TCP -> Node.TCP;
      case UDT -> Node.UDT;
      case AUTO -> Node.AUTO;
    };
  }
}
