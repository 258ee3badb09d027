package io.fdt.server.session;

import io.fdt.core.engine.RunningSession;
import io.fdt.core.engine.Session;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Grant;
import io.fdt.core.node.AcceptedSession;
import io.fdt.core.node.AcceptedSessions;
import io.fdt.core.security.TokenBook;
import io.fdt.core.tuning.rate.RateSource;
import io.fdt.core.tuning.rate.SharedRate;
import io.fdt.core.unit.ByteSize;
import io.fdt.server.limits.DescriptorBudget;
import io.fdt.server.limits.Owner;
import io.fdt.server.limits.Quota;
import io.fdt.server.limits.ServerRates;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/** The sessions of one server, by id. Thread-safe. */
public final class ServerSessions {
  private static final class Member {
    final RunningSession session;
    final SessionRequest request;
    final Grant grant;
    final SharedRate.Member rate;
    final DescriptorBudget.Share descriptors;
    final Optional<AcceptedSession> accepted;
    final String export;
    final CountDownLatch ended = new CountDownLatch(1);

    Member(
        RunningSession session,
        SessionRequest request,
        Grant grant,
        SharedRate.Member rate,
        DescriptorBudget.Share descriptors,
        String export) {
      this.export = export;
      this.descriptors = descriptors;
      this.accepted =
          session instanceof Session dialled
              ? Optional.of(accepted(dialled, request, descriptors))
              : Optional.empty();
      this.session = session;
      this.request = request;
      this.grant = grant;
      this.rate = rate;
    }

    private static AcceptedSession accepted(
        Session session, SessionRequest request, DescriptorBudget.Share descriptors) {
      return new AcceptedSession(
          session,
          request.secret(),
          request.isEncrypted(),
          request.spec().streams(),
          AcceptedSession.settings(request.spec()),
          new DescriptorCost(descriptors));
    }

    /** The most bytes of its blocks in memory. */
    long memoryBytes() {
      return request.spec().memoryBytes(request.spec().streams() + 1);
    }

    /**
     * The descriptors of the session besides streams and unfinished files: for reading and walking.
     */
    int ownDescriptors() {
      int streams = accepted.isPresent() ? 0 : request.spec().streams(); // those that it dials
      int threads =
          request.isPull() ? request.spec().readersPerDisk() : request.spec().writersPerDisk();
      return threads + WALK_DESCRIPTORS + streams;
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

  /** Charges a descriptor for each data stream. */
  private record DescriptorCost(DescriptorBudget.Share descriptors)
      implements AcceptedSession.StreamCost {
    @Override
    public void take() throws FdtException {
      descriptors.take(1);
    }

    @Override
    public void giveBack() {
      descriptors.giveBack(1);
    }
  }

  /** The descriptors of a walk: open directories, and the current file. */
  private static final int WALK_DESCRIPTORS = 4;

  private final Map<RunningSession, Member> members = new ConcurrentHashMap<>();
  private final AcceptedSessions accepted = new AcceptedSessions();
  private final AtomicReference<FdtException> closed = new AtomicReference<>();
  private final Quota places;
  private final Quota streams;
  private final Quota memory;
  private final DescriptorBudget descriptors;
  private final ServerRates rates;
  private final SessionLedger ledger = new SessionLedger();

  /**
   * @param sessions the most concurrent ones
   * @param memoryBytes for blocks of all sessions
   */
  public ServerSessions(
      int sessions,
      int streams,
      long memoryBytes,
      DescriptorBudget descriptors,
      ServerRates rates) {
    this.descriptors = descriptors;
    this.rates = rates;
    this.places = new Quota("transfers", sessions);
    this.streams = new Quota("data streams", streams);
    this.memory =
        new Quota(
            "of memory for transfers", memoryBytes, bytes -> ByteSize.ofBytes(bytes).toString());
  }

  /**
   * A session that serves the same request already, or has files open that the request writes. A
   * session that waits for its client is ended when its owner repeats the request or writes to the
   * same place. Only sessions of the same token count; clients without a token do not block each
   * other, unless they make the same request.
   */
  Optional<RunningSession> inTheWayOf(SessionRequest request, Grant grant) {
    Optional<RunningSession> found = Optional.empty();
    boolean isStranger = Owner.isAnonymous(grant);
    for (Member other : members.values()) {
      boolean isSame = request.key() != 0 && other.request.key() == request.key();
      boolean isWaiting = other.session.isWaiting();
      boolean isInTheWay =
          isSame || (isWaiting && !isStranger && writeToSamePlace(other.request, request));
      if (isInTheWay && other.grant.equals(grant)) {
        found = Optional.of(other.session);
        if (isWaiting) {
          other.session.abort(
              new FdtException(
                  ErrorCode.CANCELLED, "another transfer of its owner has taken its place"));
        }
      }
    }
    return found;
  }

  /**
   * Whether both have the same destination, or, if the first one copies a tree, one beneath or
   * above it; a session with a connected client continues by itself.
   */
  private static boolean writeToSamePlace(SessionRequest one, SessionRequest other) {
    if (one.isPull() || other.isPull() || one.isNettest() || other.isNettest()) {
      return false;
    }
    try {
      List<FileName> names = one.spec().destination().names();
      List<FileName> others = other.spec().destination().names();
      if (!one.spec().recursive()) {
        return names.equals(others);
      }
      int common = Math.min(names.size(), others.size());
      return names.subList(0, common).equals(others.subList(0, common));
    } catch (IllegalArgumentException e) { // "..": it is refused
      return false;
    }
  }

  /**
   * Adds a session, dialed or accepted.
   *
   * @param export its export, for the ledger
   * @return its rate limit
   * @throws FdtException its id is taken, or the server is stopping or at a limit
   */
  public synchronized RateSource add(
      RunningSession session,
      SessionRequest request,
      Grant grant,
      InetAddress address,
      String export)
      throws FdtException {
    Member member =
        new Member(
            session,
            request,
            grant,
            rates.admit(grant, address),
            descriptors.of(grant, address),
            export);
    boolean isCounted = false;
    try {
      member.descriptors.take(member.ownDescriptors());
      isCounted = true;
      places.take(session, address, grant, 1);
      streams.take(session, address, grant, request.spec().streams());
      memory.take(session, address, grant, member.memoryBytes());
      members.put(session, member);
      if (member.accepted.isPresent()) {
        accepted.add(member.accepted.get());
      }
      ledger.began(
          session,
          new SessionLedger.Account(request.isPull(), export, grant.label()),
          session::progress);
    } catch (FdtException | RuntimeException | Error e) { // memory may be wanting
      members.remove(session);
      member.accepted.ifPresent(accepted::remove);
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

  public ServerRates rates() {
    return rates;
  }

  public SessionLedger ledger() {
    return ledger;
  }

  /** Descriptors that clients share. */
  public DescriptorBudget descriptors() {
    return descriptors;
  }

  /** Bytes of memory that sessions share. */
  public Quota memory() {
    return memory;
  }

  /**
   * A session that writes to an export.
   *
   * @param grant of its client
   * @param destination of its files
   */
  public record Writing(RunningSession session, Grant grant, BytePath destination) {}

  /** The sessions that write to an export. */
  public List<Writing> writingTo(String export) {
    return members.values().stream()
        .filter(member -> !member.request.isPull() && member.export.equals(export))
        .map(
            member ->
                new Writing(member.session, member.grant, member.request.spec().destination()))
        .toList();
  }

  /** Allows data streams to join a session from now on. */
  public void begun(Session session) {
    Member member = members.get(session);
    if (member != null) {
      member.accepted.ifPresent(accepted::begun);
    }
  }

  private void giveBack(RunningSession session) {
    places.giveBack(session);
    streams.giveBack(session);
    memory.giveBack(session);
  }

  /** Ends the sessions of revoked tokens. */
  public void endRevoked(TokenBook tokens) {
    for (Member member : members.values()) {
      try {
        tokens.check(member.grant);
      } catch (FdtException e) {
        member.session.abort(e);
      }
    }
  }

  /**
   * Removes an ended session.
   *
   * @param failure null when it completed
   */
  public synchronized void remove(RunningSession session, FdtException failure) {
    Member member = members.remove(session);
    if (member != null) {
      member.accepted.ifPresent(accepted::remove);
      ledger.ended(session, failure);
      giveBack(session);
      member.descriptors.giveBack(member.ownDescriptors());
      rates.leave(member.rate);
      member.ended.countDown();
    }
  }

  /** The sessions that data connections may join. */
  public AcceptedSessions accepted() {
    return accepted;
  }

  /** Ends all sessions, accepts no more, and waits for their ends up to the deadline. */
  public void abortAll(FdtException reason, Duration deadline) {
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
