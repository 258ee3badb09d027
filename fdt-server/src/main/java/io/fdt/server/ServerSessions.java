package io.fdt.server;

import io.fdt.core.engine.Session;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.security.Grant;
import io.fdt.core.security.TokenBook;
import io.fdt.core.transport.DataStream;
import io.fdt.core.transport.StreamSettings;
import io.fdt.core.transport.tcp.TcpServer;
import io.fdt.core.tuning.RateSource;
import io.fdt.core.tuning.SharedRate;
import io.fdt.core.unit.ByteSize;
import io.fdt.core.wire.Join;
import io.fdt.core.wire.SessionId;
import java.net.InetAddress;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** The sessions of one server, by id. Thread-safe. */
final class ServerSessions {
  private static final class Member {
    final Session session;
    final SessionRequest request;
    final Grant grant;
    final SharedRate.Member rate;
    final DescriptorBudget.Share descriptors;
    final Set<Integer> usedStreams = new HashSet<>();
    final AtomicInteger openStreams = new AtomicInteger();
    final CountDownLatch ended = new CountDownLatch(1);
    volatile boolean begun;

    Member(
        Session session,
        SessionRequest request,
        Grant grant,
        SharedRate.Member rate,
        DescriptorBudget.Share descriptors) {
      this.descriptors = descriptors;
      this.session = session;
      this.request = request;
      this.grant = grant;
      this.rate = rate;
    }

    /** What it may hold of blocks on their way, in bytes. */
    long memoryBytes() {
      return request.settings().memoryBytes(request.streams() + 1);
    }

    /** What it may have open besides streams and unfinished files: what it reads, and walks. */
    int ownDescriptors() {
      return request.settings().threadsPerDisk() + WALK_DESCRIPTORS;
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

  /** A directory that is listed, and the file at which a walk looks. */
  private static final int WALK_DESCRIPTORS = 4;

  /** Numbers that one session may use up: streams that died are replaced under new ones. */
  private static final int MAX_STREAM_NUMBERS = 100_000;

  /** A session's first data streams may be this much faster than the request for it. */
  private static final Duration EARLY = Duration.ofSeconds(2);

  private final Map<SessionId, Member> members = new ConcurrentHashMap<>();
  private final EarlyJoins early = new EarlyJoins(EARLY);
  private final AtomicReference<FdtException> closed = new AtomicReference<>();
  private final Quota places;
  private final Quota streams;
  private final Quota memory;
  private final DescriptorBudget descriptors;
  private final ServerRates rates;
  private final SessionLedger ledger = new SessionLedger();

  ServerSessions(ServerLimits limits) {
    this.descriptors = new DescriptorBudget(limits.descriptorsOfClients());
    this.rates = new ServerRates(limits.rate(), limits.clientRate());
    this.places = new Quota("transfers", limits.sessions());
    this.streams = new Quota("data streams", limits.streams());
    this.memory =
        new Quota(
            "of memory for transfers",
            limits.memoryBytes(),
            bytes -> ByteSize.ofBytes(bytes).toString());
  }

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
   * @param export where it reads or writes, for the ledger
   * @return how fast it may be
   * @throws FdtException when its id is taken, or the server is stopping or full
   */
  synchronized RateSource add(
      Session session, SessionRequest request, Grant grant, InetAddress address, String export)
      throws FdtException {
    Member member =
        new Member(
            session, request, grant, rates.admit(grant, address), descriptors.of(grant, address));
    boolean isCounted = false;
    try {
      member.descriptors.take(member.ownDescriptors());
      isCounted = true;
      places.take(session, address, grant, 1);
      streams.take(session, address, grant, request.streams());
      memory.take(session, address, grant, member.memoryBytes());
      if (members.putIfAbsent(session.id(), member) != null) {
        throw new FdtException(ErrorCode.PROTOCOL, "session id is taken");
      }
      ledger.began(session, new SessionLedger.Account(request.isPull(), export, grant.label()));
    } catch (FdtException | RuntimeException | Error e) { // memory may be wanting
      members.remove(session.id(), member);
      giveBack(session);
      if (isCounted) {
        member.descriptors.giveBack(member.ownDescriptors());
      }
      rates.leave(member.rate);
      throw e;
    }
    FdtException reason = closed.get();
    if (reason != null) {
      remove(session, reason);
      throw reason;
    }
    return member.rate;
  }

  ServerRates rates() {
    return rates;
  }

  SessionLedger ledger() {
    return ledger;
  }

  /** What clients share of the descriptors of the process. */
  DescriptorBudget descriptors() {
    return descriptors;
  }

  /** What sessions share of memory, in bytes. */
  Quota memory() {
    return memory;
  }

  /** Its path is there: data streams may join it from now on. */
  void begun(Session session) {
    Member member = members.get(session.id());
    if (member != null) {
      member.begun = true;
      early.begun(session.id());
    }
  }

  private void giveBack(Session session) {
    places.giveBack(session);
    streams.giveBack(session);
    memory.giveBack(session);
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

  /**
   * A session has ended.
   *
   * @param failure null when it came to its end
   */
  synchronized void remove(Session session, FdtException failure) {
    Member member = members.remove(session.id());
    if (member != null) {
      ledger.ended(session, failure);
      giveBack(session);
      member.descriptors.giveBack(member.ownDescriptors());
      rates.leave(member.rate);
      member.ended.countDown();
    }
  }

  /** Waits for a session that has not begun, as {@link EarlyJoins#await}. */
  CompletableFuture<Void> awaitBegun(SessionId id, InetAddress address) {
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
    Member member = members.get(id);
    return member != null && member.begun;
  }

  /**
   * A place in the session that a data stream belongs to; each number is good for one stream.
   *
   * @throws FdtException FORBIDDEN for a session that is not there or has not begun, a wrong proof
   *     or a used number, which get the same answer; BUSY when there are enough streams, or
   *     descriptors
   */
  TcpServer.Seat seat(Join join, boolean encrypted) throws FdtException {
    if (!hasBegun(join.session())) {
      throw noSession();
    }
    Member member = proven(join);
    if (member.request.isEncrypted() != encrypted) {
      throw new FdtException(
          ErrorCode.FORBIDDEN,
          encrypted
              ? "encrypted data stream of a clear session"
              : "clear data stream of an encrypted session");
    }
    if (member.openStreams.incrementAndGet() > member.maxStreams()) {
      member.openStreams.decrementAndGet();
      throw new FdtException(ErrorCode.BUSY, "session has its data streams already");
    }
    try {
      member.descriptors.take(1);
    } catch (FdtException e) {
      member.openStreams.decrementAndGet();
      throw e;
    }
    return new TcpServer.Seat(
        new StreamSettings(
            member.request.settings().blockSize(), member.request.settings().socketBuffer()),
        stream -> counted(member, stream),
        () -> leave(member));
  }

  private static FdtException noSession() {
    return new FdtException(ErrorCode.FORBIDDEN, "connection of no session here");
  }

  /** The handler of a stream, which counts until it is closed. */
  private static DataStream.Handler counted(Member member, DataStream stream) {
    return member.session.attach(stream).whenClosed(cause -> leave(member));
  }

  private static void leave(Member member) {
    member.openStreams.decrementAndGet();
    member.descriptors.giveBack(1);
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
      throw noSession();
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
