package io.fdt.udt.transport;

import io.fdt.core.transport.Transport;
import io.fdt.core.transport.TransportContract;
import io.fdt.core.transport.tcp.TcpTransport;
import io.fdt.udt.protocol.UdtSettings;

/** Control over TCP and data over UDP, on loopback. */
class UdtTransportTest extends TransportContract {
  /** The windows of both ends, 48 MB, are below what the contract lets wait unread. */
  static final UdtSettings SETTINGS = new UdtSettings(UdtSettings.DEFAULT_SEGMENT, 16_384);

  @Override
  protected Transport.Factory factory() {
    return (loops, allocator, timeout) ->
        new UdtTransport(
            loops,
            allocator,
            timeout,
            new TcpTransport(loops, allocator, timeout),
            SETTINGS,
            UdtTransport.Dials.UDP);
  }
}
