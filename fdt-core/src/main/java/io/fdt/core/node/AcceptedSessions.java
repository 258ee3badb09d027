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
  /** How long a session's first data streams wait for its request. */
  private static final Duration EARLY = Duration.ofSeconds(2);

  private final Map<SessionId, AcceptedSession> sessions = new ConcurrentHashMap<>();
  private final EarlyJoins early = new EarlyJoins(EARLY);

  /**
   * Adds a session.
   *
   * @throws FdtException PROTOCOL for a duplicate id
   */
  public void add(AcceptedSession session) throws FdtException {
    if (sessions.putIfAbsent(session.id(), session) != null) {
      throw new FdtException(ErrorCode.PROTOCOL, "session id is taken");
    }
  }

  /** Admits data connections from here on. */
  public void begun(AcceptedSession session) {
    session.begin();
    early.begun(session.id());
  }

  /** The session has ended, or failed to begin. Idempotent. */
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
      early.begun(id); // it began just now
    }
    return begun;
  }

  private boolean hasBegun(SessionId id) {
    AcceptedSession session = sessions.get(id);
    return session != null && session.hasBegun();
  }

  /**
   * The slot for a data stream in its session; each number is valid for one stream.
   *
   * @throws FdtException FORBIDDEN for an unknown or unopened session, a wrong proof, or a used
   *     number, without telling them apart; BUSY when there are enough streams, or the owner is at
   *     its limit
   */
  public StreamSlot slot(Join join, boolean encrypted) throws FdtException {
    AcceptedSession session = sessions.get(join.session());
    if (session == null || !session.hasBegun()) {
      throw noSession();
    }
    return session.slot(join, encrypted);
  }

  /**
   * The session that its dialing end resumes.
   *
   * @throws FdtException UNREACHABLE when there is none that this peer can prove to be its own
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
    return new FdtException(ErrorCode.FORBIDDEN, "no such session");
  }
}
