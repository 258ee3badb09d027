package io.fdt.server;

import io.fdt.core.engine.Session;
import io.fdt.core.engine.TransferSettings;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
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
    final TransferSettings settings;
    final byte[] secret;
    final int maxStreams;
    final Set<Integer> usedStreams = new HashSet<>();
    final CountDownLatch ended = new CountDownLatch(1);

    Member(Session session, TransferSettings settings, byte[] secret, int maxStreams) {
      this.session = session;
      this.settings = settings;
      this.secret = secret;
      this.maxStreams = maxStreams;
    }
  }

  /** Numbers that one session may use up: streams that died are replaced under new ones. */
  private static final int MAX_STREAM_NUMBERS = 100_000;

  private final Map<SessionId, Member> members = new ConcurrentHashMap<>();
  private final AtomicReference<FdtException> closed = new AtomicReference<>();

  /**
   * Takes in a session.
   *
   * @throws FdtException when its id is taken, or the server is stopping
   */
  void add(Session session, TransferSettings settings, byte[] secret, int maxStreams)
      throws FdtException {
    Member member = new Member(session, settings, secret, maxStreams);
    if (members.putIfAbsent(session.id(), member) != null) {
      throw new FdtException(ErrorCode.PROTOCOL, "session id is taken");
    }
    FdtException reason = closed.get();
    if (reason != null) {
      members.remove(session.id());
      throw reason;
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
  Seated join(Join join) throws FdtException {
    Member member = members.get(join.session());
    if (member == null || !join.isProvenBy(member.secret)) {
      throw new FdtException(ErrorCode.FORBIDDEN, "data stream of no session here");
    }
    synchronized (member.usedStreams) {
      if (member.usedStreams.size() >= MAX_STREAM_NUMBERS
          || !member.usedStreams.add(join.stream())) {
        throw new FdtException(
            ErrorCode.FORBIDDEN, "data stream " + join.stream() + " has joined before");
      }
    }
    if (member.session.progress().streams() >= member.maxStreams) {
      throw new FdtException(
          ErrorCode.BUSY, "session has its " + member.maxStreams + " data streams already");
    }
    return new Seated(member.session, member.settings);
  }

  /** Ends all sessions, takes no more, and waits for their ends up to the deadline. */
  void abortAll(FdtException reason, Duration deadline) {
    closed.set(reason);
    long until = System.nanoTime() + deadline.toNanos();
    for (Member member : members.values()) {
      member.session.abort(reason);
    }
    try {
      for (Member member : members.values()) {
        member.ended.await(until - System.nanoTime(), TimeUnit.NANOSECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
