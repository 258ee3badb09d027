package io.fdt.core.transport;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.wire.Join;
import io.fdt.core.wire.SessionId;
import io.netty.channel.EventLoop;
import java.net.InetAddress;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Decides what becomes of the connections that come to a listener. Called on event loops. */
public interface Acceptor {
  /** Why nobody from this address is taken now; empty to take the connection. */
  Optional<ErrorCode> refusal(InetAddress address);

  /**
   * A peer that {@link #refusal} turned away has sent something, not only opened a connection. Not
   * every acceptor counts those.
   */
  default void refused(ErrorCode why) {}

  /** The handler of a new control connection, after its handshake. */
  ControlConnection.Handler control(ControlConnection connection, EventLoop loop);

  /**
   * A data connection is about to join this session.
   *
   * @return completes, on any thread and within a deadline, when it is to be decided whether it
   *     may, and not before the session has begun if that is to be expected; until then nothing
   *     more is read from the connection. Cancelled when the connection has gone. At once where
   *     every session begins before its joins
   */
  default CompletableFuture<Void> awaitSession(SessionId session, InetAddress address) {
    return CompletableFuture.completedFuture(null);
  }

  /**
   * A data connection joins a session.
   *
   * @param peer for people
   * @param encrypted whether it is within TLS, or its packets are encrypted
   * @throws FdtException to refuse it
   */
  StreamSlot join(Join join, String peer, boolean encrypted) throws FdtException;

  /**
   * A connection is to be passed on to another address.
   *
   * @param peer for people
   * @throws FdtException to refuse it: FORBIDDEN by an acceptor that is no relay
   */
  default RelayTarget relay(Join join, String peer) throws FdtException {
    throw new FdtException(
        ErrorCode.FORBIDDEN,
        "this server is not a relay; its administrator can start it with --relay");
  }
}
