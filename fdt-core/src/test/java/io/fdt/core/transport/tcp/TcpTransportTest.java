package io.fdt.core.transport.tcp;

import io.fdt.core.transport.Transport;
import io.fdt.core.transport.TransportContract;
import io.netty.channel.epoll.Epoll;

/** TCP over loopback. */
class TcpTransportTest extends TransportContract {
  @Override
  protected Transport.Factory factory() {
    return TcpTransport::new;
  }

  @Override
  protected boolean noticesCloseWithoutReading() {
    return Epoll.isAvailable(); // NIO does not
  }
}
