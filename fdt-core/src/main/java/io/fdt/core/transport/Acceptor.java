package io.fdt.core.transport;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.Setting;
import io.fdt.core.wire.Join;
import io.fdt.core.wire.SessionId;
import io.netty.channel.EventLoop;
import java.net.InetAddress;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Decides about the incoming connections of a listener. Called on event loops. */
public interface Acceptor {
  /** Why connections from this address are refused now; empty to accept. */
  Optional<ErrorCode> refusal(InetAddress address);

  /** Called when a refused peer has sent data, not only opened a connection. Optional. */
  default void refused(ErrorCode why) {}

  /** The handler of a new control connection, after its handshake. */
  ControlConnection.Handler control(ControlConnection connection, EventLoop loop);

  /**
   * Called before a data connection joins this session.
   *
   * @return completes, on any thread and within a deadline, when {@link #join} can decide, and not
   *     before the session has begun if that is expected; until then nothing more is read from the
   *     connection. Cancelled when the connection closes. The default completes at once, for
   *     acceptors whose sessions begin before their joins
   */
  default CompletableFuture<Void> awaitSession(SessionId session, InetAddress address) {
    return CompletableFuture.completedFuture(null);
  }

  /**
   * Assigns a data connection to a session.
   *
   * @param peer for messages
   * @param encrypted whether it uses TLS or encrypted packets
   * @throws FdtException to refuse it
   */
  StreamSlot join(Join join, String peer, boolean encrypted) throws FdtException;

  /**
   * Forwards a connection to another address.
   *
   * @param peer for messages
   * @throws FdtException to refuse it: FORBIDDEN by an acceptor that is not a relay
   */
  default RelayTarget relay(Join join, String peer) throws FdtException {
    throw new FdtException(
        ErrorCode.FORBIDDEN,
        "this server is not a relay; its administrator can start it with " + Setting.RELAY);
  }
}
