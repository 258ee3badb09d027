package io.fdt.core.transport.udp;

import io.fdt.core.transport.Fan;
import io.fdt.core.transport.Transport;
import io.fdt.core.transport.TransportContract;
import io.fdt.core.transport.tcp.TcpTransport;
import io.fdt.core.udt.UdtSettings;
import java.util.Optional;

/** Control over TCP, and three connections over UDP for each stream, on loopback. */
class UdtFanTransportTest extends TransportContract {
  /** The windows of both ends of three connections, 36 MB, are below what the contract allows. */
  private static final UdtSettings SETTINGS =
      new UdtSettings(UdtSettings.DEFAULT_SEGMENT, 4096, true, UdtSettings.Rate.MODEL);

  @Override
  protected Transport.Factory factory() {
    return (loops, allocator, timeout) ->
        new UdtTransport(
            loops,
            allocator,
            timeout,
            new TcpTransport(loops, allocator, timeout),
            SETTINGS,
            UdtTransport.Dials.UDP,
            Optional.empty(),
            new Fan(3, 1));
  }

  @Override
  protected int connectionsOfStream() {
    return 3;
  }
}
