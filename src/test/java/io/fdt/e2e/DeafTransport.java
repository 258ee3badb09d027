package io.fdt.e2e;

import io.fdt.core.error.FdtException;
import io.fdt.core.security.ClientTls;
import io.fdt.core.transport.Acceptor;
import io.fdt.core.transport.ControlConnection;
import io.fdt.core.transport.DataConnection;
import io.fdt.core.transport.ListenSettings;
import io.fdt.core.transport.SecuredControl;
import io.fdt.core.transport.Transport;
import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A transport that does not listen at one of the addresses where it is told to.
 *
 * @param deaf that address
 */
record DeafTransport(Transport transport, String deaf) implements Transport {
  @Override
  public CompletableFuture<SecuredControl> dialControl(
      EventLoop loop,
      InetSocketAddress peer,
      ClientTls tls,
      String host,
      Consumer<Duration> reached,
      Function<ControlConnection, ControlConnection.Handler> handlers) {
    return transport.dialControl(loop, peer, tls, host, reached, handlers);
  }

  @Override
  public CompletableFuture<DataConnection> dialData(InetSocketAddress peer) {
    return transport.dialData(peer);
  }

  @Override
  public Listener listen(InetSocketAddress address, ListenSettings settings, Acceptor acceptor)
      throws FdtException {
    Listener listener = transport.listen(address, settings, acceptor);
    if (address.getAddress().getHostAddress().equals(deaf)) {
      listener.stopListening();
    }
    return listener;
  }
}
