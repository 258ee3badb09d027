package io.fdt.core.transport;

import io.fdt.core.error.FdtException;
import io.fdt.core.security.ClientTls;
import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;

/** A transport that does what another one does, but for what a test overrides. */
public abstract class ForwardingTransport implements Transport {
  private final Transport other;

  protected ForwardingTransport(Transport other) {
    this.other = other;
  }

  @Override
  public CompletableFuture<SecuredControl> dialControl(
      EventLoop loop,
      InetSocketAddress peer,
      ClientTls tls,
      String host,
      Consumer<Duration> reached,
      Function<ControlConnection, ControlConnection.Handler> handlers) {
    return other.dialControl(loop, peer, tls, host, reached, handlers);
  }

  @Override
  public CompletableFuture<DataConnection> dialData(InetSocketAddress peer) {
    return other.dialData(peer);
  }

  @Override
  public boolean dialsDatagrams() {
    return other.dialsDatagrams();
  }

  @Override
  public Listener listen(InetSocketAddress address, ListenSettings settings, Acceptor acceptor)
      throws FdtException {
    return other.listen(address, settings, acceptor);
  }
}
