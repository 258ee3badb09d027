package io.fdt.core.transport.udp;

import io.fdt.core.transport.Transport;
import io.fdt.core.transport.TransportContract;
import io.fdt.core.transport.tcp.TcpTransport;
import io.fdt.core.udt.UdtSettings;

/** Control over TCP and data over UDP, on loopback. */
class UdtTransportTest extends TransportContract {
  @Override
  protected Transport.Factory factory() {
    return (loops, allocator, timeout) ->
        new UdtTransport(
            loops,
            allocator,
            timeout,
            new TcpTransport(loops, allocator, timeout),
            UdtSettings.DEFAULT,
            UdtTransport.Dials.UDP);
  }
}
