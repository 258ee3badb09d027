package io.fdt.server.connection;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.node.AcceptedSessions;
import io.fdt.core.transport.Acceptor;
import io.fdt.core.transport.ControlConnection;
import io.fdt.core.transport.RelayTarget;
import io.fdt.core.transport.StreamSlot;
import io.fdt.core.wire.Join;
import io.fdt.core.wire.SessionId;
import io.fdt.server.access.ServerCredentials;
import io.fdt.server.relay.Relay;
import io.netty.channel.EventLoop;
import java.net.InetAddress;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Routes connections to a server to their handlers. Thread-safe. */
public record ServerAcceptor(
    ServerCredentials credentials, ClientHandlers handlers, AcceptedSessions sessions, Relay relay)
    implements Acceptor {
  @Override
  public Optional<ErrorCode> refusal(InetAddress address) {
    return credentials.refusal(address);
  }

  @Override
  public ControlConnection.Handler control(ControlConnection connection, EventLoop loop) {
    return new ClientConnection(connection, loop, handlers);
  }

  @Override
  public void refused(ErrorCode why) {
    handlers.clients().refusals().count(why);
  }

  @Override
  public CompletableFuture<Void> awaitSession(SessionId session, InetAddress address) {
    return sessions.awaitBegun(session, address);
  }

  @Override
  public StreamSlot join(Join join, String peer, boolean encrypted) throws FdtException {
    return sessions.slot(join, encrypted);
  }

  @Override
  public RelayTarget relay(Join join, String peer) throws FdtException {
    return relay.connect(join);
  }
}
