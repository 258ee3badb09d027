package io.fdt.core.transport.tcp;

import io.fdt.core.transport.Fan;
import io.fdt.core.transport.Transport;
import io.fdt.core.transport.TransportContract;
import io.netty.channel.epoll.Epoll;
import java.util.Optional;

/** Three connections of TCP for each stream, over loopback. */
class FanTransportTest extends TransportContract {
  @Override
  protected Transport.Factory factory() {
    return (loops, allocator, timeout) ->
        new TcpTransport(loops, allocator, timeout, Optional.empty(), new Fan(3, 1));
  }

  @Override
  protected boolean noticesCloseWithoutReading() {
    return Epoll.isAvailable(); // NIO does not
  }

  @Override
  protected int connectionsOfStream() {
    return 3;
  }
}
