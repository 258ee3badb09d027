package io.fdt.server;

import io.fdt.core.engine.Session;
import io.fdt.core.engine.TransferSettings;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.security.Grant;
import io.fdt.core.security.TokenBook;
import io.fdt.core.wire.Join;
import io.fdt.core.wire.SessionId;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/** The sessions of one server, by id. Thread-safe. */
final class ServerSessions {
  /** A session and what its data streams have to prove and to know. */
  record Seated(Session session, TransferSettings settings) {}

  private static final class Member {
    final Session session;
    final SessionRequest request;
    final Grant grant;
    final Set<Integer> usedStreams = new HashSet<>();
    final CountDownLatch ended = new CountDownLatch(1);

    Member(Session session, SessionRequest request, Grant grant) {
      this.session = session;
      this.request = request;
      this.grant = grant;
    }

    /** Streams that died without a word may still count while others have taken their place. */
    int maxStreams() {
      return 2 * request.streams() + 2;
    }

    boolean awaitEnd(Duration deadline) {
      try {
        return ended.await(deadline.toNanos(), TimeUnit.NANOSECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }
  }

  /** Numbers that one session may use up: streams that died are replaced under new ones. */
  private static final int MAX_STREAM_NUMBERS = 100_000;

  private final Map<SessionId, Member> members = new ConcurrentHashMap<>();
  private final AtomicReference<FdtException> closed = new AtomicReference<>();

  /**
   * Whether nobody serves this request. A session that waits for its client is ended when the same
   * request comes again: its client is gone, and this is the next attempt. Only sessions of the
   * same token are in the way.
   */
  boolean makeRoomFor(SessionRequest request, Grant grant) {
    boolean free = true;
    if (request.key() != 0) {
      for (Member other : members.values()) {
        if (other.request.key() == request.key() && other.grant.equals(grant)) {
          free = false;
          endIfWaiting(other.session);
        }
      }
    }
    return free;
  }

  private static void endIfWaiting(Session session) {
    if (session.isWaiting()) {
      session.abort(
          new FdtException(ErrorCode.CANCELLED, "its client has started the same request again"));
    }
  }

  /**
   * Takes in a session.
   *
   * @throws FdtException when its id is taken, or the server is stopping
   */
  void add(Session session, SessionRequest request, Grant grant) throws FdtException {
    if (members.putIfAbsent(session.id(), new Member(session, request, grant)) != null) {
      throw new FdtException(ErrorCode.PROTOCOL, "session id is taken");
    }
    FdtException reason = closed.get();
    if (reason != null) {
      members.remove(session.id());
      throw reason;
    }
  }

  /** Ends the sessions whose token is no longer good. */
  void endRevoked(TokenBook tokens) {
    for (Member member : members.values()) {
      try {
        tokens.check(member.grant);
      } catch (FdtException e) {
        member.session.abort(e);
      }
    }
  }

  void remove(Session session) {
    Member member = members.remove(session.id());
    if (member != null) {
      member.ended.countDown();
    }
  }

  /**
   * The session that a data stream belongs to; each number is good for one stream.
   *
   * @throws FdtException FORBIDDEN for an unknown session, a wrong proof or a used number, which
   *     look the same from outside
   */
  Seated join(Join join, boolean encrypted) throws FdtException {
    Member member = proven(join);
    if (member.request.isEncrypted() != encrypted) {
      throw new FdtException(
          ErrorCode.FORBIDDEN,
          encrypted
              ? "encrypted data stream of a clear session"
              : "clear data stream of an encrypted session");
    }
    if (member.session.progress().streams() >= member.maxStreams()) {
      throw new FdtException(ErrorCode.BUSY, "session has its data streams already");
    }
    return new Seated(member.session, member.request.settings());
  }

  /**
   * The session whose client is back.
   *
   * @throws FdtException UNREACHABLE when there is none that this client could prove to be its own
   */
  Session resume(Join join) throws FdtException {
    try {
      return proven(join).session;
    } catch (FdtException e) {
      throw new FdtException(
          ErrorCode.UNREACHABLE,
          "the server does not know this session any more; run the same command again to continue",
          e);
    }
  }

  private Member proven(Join join) throws FdtException {
    Member member = members.get(join.session());
    if (member == null || !join.isProvenBy(member.request.secret())) {
      throw new FdtException(ErrorCode.FORBIDDEN, "connection of no session here");
    }
    synchronized (member.usedStreams) {
      if (member.usedStreams.size() >= MAX_STREAM_NUMBERS
          || !member.usedStreams.add(join.stream())) {
        throw new FdtException(
            ErrorCode.FORBIDDEN, "number " + join.stream() + " has been used before");
      }
    }
    return member;
  }

  /** Ends all sessions, takes no more, and waits for their ends up to the deadline. */
  void abortAll(FdtException reason, Duration deadline) {
    closed.set(reason);
    long until = System.nanoTime() + deadline.toNanos();
    for (Member member : members.values()) {
      member.session.abort(reason);
    }
    for (Member member : members.values()) {
      member.awaitEnd(Duration.ofNanos(until - System.nanoTime()));
    }
  }
}
