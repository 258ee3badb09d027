package io.fdt.server.connection;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.transport.Acceptor;
import io.fdt.core.transport.ControlConnection;
import io.fdt.core.transport.StreamSlot;
import io.fdt.core.wire.Join;
import io.fdt.core.wire.SessionId;
import io.netty.channel.EventLoop;
import java.net.InetAddress;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Accepts control connections, and refuses data connections, which use another port. Clients learn
 * that port on the control connection. Thread-safe.
 */
record ControlOnly(Acceptor acceptor, int dataPort) implements Acceptor {
  @Override
  public Optional<ErrorCode> refusal(InetAddress address) {
    return acceptor.refusal(address);
  }

  @Override
  public ControlConnection.Handler control(ControlConnection connection, EventLoop loop) {
    return acceptor.control(connection, loop);
  }

  @Override
  public void refused(ErrorCode why) {
    acceptor.refused(why);
  }

  /** There is nothing to wait for. */
  @Override
  public CompletableFuture<Void> awaitSession(SessionId session, InetAddress address) {
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public StreamSlot join(Join join, String peer, boolean encrypted) throws FdtException {
    throw new FdtException(ErrorCode.BUSY, "data connections go to port " + dataPort);
  }
}
