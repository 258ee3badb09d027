package io.fdt.core.node;

import io.fdt.core.engine.Session;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.transport.StreamSlot;
import io.fdt.core.wire.Join;
import io.fdt.core.wire.SessionId;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** The sessions that data connections may join at this end, by id. Thread-safe. */
public final class AcceptedSessions {
  /** A session's first data streams may be this much faster than the request for it. */
  private static final Duration EARLY = Duration.ofSeconds(2);

  private final Map<SessionId, AcceptedSession> sessions = new ConcurrentHashMap<>();
  private final EarlyJoins early = new EarlyJoins(EARLY);

  /**
   * Takes in a session.
   *
   * @throws FdtException PROTOCOL when its id is taken
   */
  public void add(AcceptedSession session) throws FdtException {
    if (sessions.putIfAbsent(session.id(), session) != null) {
      throw new FdtException(ErrorCode.PROTOCOL, "session id is taken");
    }
  }

  /** Data connections may join it from now on. */
  public void begun(AcceptedSession session) {
    session.begin();
    early.begun(session.id());
  }

  /** It has ended, or never begins. Idempotent. */
  public void remove(AcceptedSession session) {
    sessions.remove(session.id(), session);
  }

  /**
   * Waits for a session that has not begun.
   *
   * @return as {@link io.fdt.core.transport.Acceptor#awaitSession}
   */
  public CompletableFuture<Void> awaitBegun(SessionId id, InetAddress address) {
    if (hasBegun(id)) {
      return CompletableFuture.completedFuture(null);
    }
    CompletableFuture<Void> begun = early.await(id, address);
    if (hasBegun(id)) {
      early.begun(id); // it did so just now
    }
    return begun;
  }

  private boolean hasBegun(SessionId id) {
    AcceptedSession session = sessions.get(id);
    return session != null && session.hasBegun();
  }

  /**
   * A place in the session that a data stream belongs to; each number is good for one stream.
   *
   * @throws FdtException FORBIDDEN for a session that is not there or has not begun, a wrong proof
   *     or a used number, which get the same answer; BUSY when there are enough streams, or the
   *     owner has no room for one more
   */
  public StreamSlot slot(Join join, boolean encrypted) throws FdtException {
    AcceptedSession session = sessions.get(join.session());
    if (session == null || !session.hasBegun()) {
      throw noSession();
    }
    return session.slot(join, encrypted);
  }

  /**
   * The session whose dialling end is back.
   *
   * @throws FdtException UNREACHABLE when there is none that this peer could prove to be its own
   */
  public Session resume(Join join) throws FdtException {
    try {
      AcceptedSession session = sessions.get(join.session());
      if (session == null || session.session().isEmpty()) {
        throw noSession();
      }
      session.prove(join);
      return session.session().get();
    } catch (FdtException e) {
      throw new FdtException(
          ErrorCode.UNREACHABLE,
          "the server does not know this session any more; run the same command again to continue",
          e);
    }
  }

  static FdtException noSession() {
    return new FdtException(ErrorCode.FORBIDDEN, "connection of no session here");
  }
}
