package io.fdt.server.connection;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.transport.Acceptor;
import io.fdt.core.transport.ControlConnection;
import io.fdt.core.transport.RelayTarget;
import io.fdt.core.transport.StreamSlot;
import io.fdt.core.wire.Join;
import io.fdt.core.wire.SessionId;
import io.fdt.server.access.ServerCredentials;
import io.netty.channel.EventLoop;
import java.net.InetAddress;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** What becomes of the connections to a server. Thread-safe. */
public record ServerAcceptor(ServerCredentials credentials, ConnectionHost host)
    implements Acceptor {
  @Override
  public Optional<ErrorCode> refusal(InetAddress address) {
    return credentials.refusal(address);
  }

  @Override
  public ControlConnection.Handler control(ControlConnection connection, EventLoop loop) {
    return new ClientConnection(connection, loop, host);
  }

  @Override
  public void refused(ErrorCode why) {
    host.refusals().count(why);
  }

  @Override
  public CompletableFuture<Void> awaitSession(SessionId session, InetAddress address) {
    return host.sessions().accepted().awaitBegun(session, address);
  }

  @Override
  public StreamSlot join(Join join, String peer, boolean encrypted) throws FdtException {
    return host.sessions().accepted().slot(join, encrypted);
  }

  @Override
  public RelayTarget relay(Join join, String peer) throws FdtException {
    return host.relay().connect(join);
  }
}
