package io.fdt.server.thirdparty;

import io.fdt.core.engine.RunningSession;
import io.fdt.core.engine.meter.Observations;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.metrics.Progress;
import io.fdt.core.model.EntryKind;
import io.fdt.core.node.DialedSession;
import io.fdt.core.node.SessionWork;
import io.fdt.core.spec.SessionDeadlines;
import io.fdt.core.tuning.Observation;
import io.fdt.core.tuning.rate.RateSource;
import io.fdt.core.unit.RateWindow;
import io.fdt.core.wire.MessageText;
import io.fdt.core.wire.SessionId;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.Hello;
import io.fdt.core.wire.control.RunDescription;
import io.fdt.core.wire.control.RunEvent;
import io.fdt.core.wire.control.RunEvents;
import io.fdt.core.wire.control.RunProgress;
import io.fdt.core.wire.control.RunSession;
import io.fdt.core.wire.control.RunState;
import io.fdt.core.wire.stripe.DataNode;
import io.fdt.server.limits.Owner;
import io.fdt.server.session.SessionFilters;
import io.fdt.server.session.SessionLog;
import io.fdt.server.session.SessionRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * A session that this server dials for a client, which controls it and gets its events. The
 * connections of clients carry events and figures only: the session continues without them, for a
 * while or, once detached, to its end.
 *
 * <pre>
 *   FOLLOWED -- the last client goes --&gt; WAITING -- too long, or the same request again --&gt; ENDED
 *      ^  '-- DetachRun --&gt; DETACHED        '-- a client attaches --&gt; FOLLOWED
 *      '------ a client attaches --'
 * </pre>
 *
 * <p>Confined to the event loop of the session unless stated otherwise.
 */
public final class DirectedRun
    implements DialedSession.Listener, RunningSession, DirectedRuns.Live {
  /** The server's part in a session. */
  public interface Hooks {
    /**
     * The session is about to begin.
     *
     * @return its rate limit
     * @throws FdtException the server is at a limit
     */
    RateSource begins(RunningSession session) throws FdtException;

    /** Reports the peer's addresses for data streams, for the data nodes of this server. */
    void dataAddresses(DialedSession session, List<DataNode> addresses, int streamsEach);

    /** The filters of the server for this session. */
    SessionFilters filters();

    /** Gets each file, and the end. */
    SessionLog log();

    /**
     * The session has ended and released its resources.
     *
     * @param failure null when the transfer completed
     */
    void ended(RunningSession session, FdtException failure);
  }

  /**
   * The start of a session.
   *
   * @param hello for the other server
   * @param director the requesting client
   */
  public record Start(Hello.Builder hello, DirectedRuns.Follower director) {}

  private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** Failures of a server as a whole, which may have no address in their text. */
  private static final Set<ErrorCode> OF_A_SERVER =
      EnumSet.of(ErrorCode.SHUTTING_DOWN, ErrorCode.BUSY, ErrorCode.RESOURCES);

  /** Ticks between keepalives to clients. */
  private static final int TICKS_PER_SIGN = 10;

  private final RunSession request;
  private final Hooks hooks;
  private final Owner user;
  private final DirectedRuns runs;
  private final Duration patience;
  private final DirectedPlan plan;
  private final DialedSession session;
  private final RunEvents.Builder events = RunEvents.newBuilder();
  private final List<DirectedRuns.Follower> followers = new ArrayList<>();
  private final RunLog log = new RunLog();
  private final long startNanos = System.nanoTime();
  private RunProgress told = RunProgress.getDefaultInstance();
  private int silentTicks;
  private long leftNanos;
  private final RateWindow rate = new RateWindow(Duration.ofSeconds(5));

  // Read on any thread.
  private volatile long bytesPerSecond;
  private volatile DirectedRuns.Ended record;
  private volatile int followerCount;
  private volatile boolean detached;

  /** The failure of this end; null for none. Set on any thread. */
  private volatile FdtException own;

  private DirectedRun(
      RunSession run,
      SessionRequest own,
      SessionWork work,
      ThirdParty thirdParty,
      Owner user,
      Start start,
      Hooks hooks)
      throws FdtException {
    this.request = run;
    this.hooks = hooks;
    this.user = user;
    this.runs = thirdParty.runs();
    this.plan = new DirectedPlan(own, run.getPeer(), work);
    SessionDeadlines deadlines = DirectedPlan.deadlines(run);
    this.patience = deadlines.retryTimeout();
    this.session =
        new DialedSession(
            thirdParty.dialer(run.getAddress(), start.hello(), own.isEncrypted(), deadlines),
            plan,
            own.id(),
            own.secret(),
            this);
  }

  /**
   * Starts a session.
   *
   * @param own this server's half
   * @param work of this server
   * @param user the owner
   * @throws FdtException the request is invalid, or the server is at a limit
   */
  public static DirectedRun start(
      RunSession run,
      SessionRequest own,
      SessionWork work,
      ThirdParty thirdParty,
      Owner user,
      Start start,
      Hooks hooks)
      throws FdtException {
    DirectedRun started = new DirectedRun(run, own, work, thirdParty, user, start, hooks);
    started.follow(start.director());
    started.runs.began(started);
    try {
      started.plan.setRate(hooks.begins(started));
    } catch (FdtException | RuntimeException | Error e) {
      started.runs.dropped(started);
      throw e;
    }
    started.session.start();
    started.session.loop().run(started::tick);
    return started;
  }

  @Override
  public SessionId id() {
    return session.id();
  }

  @Override
  public Owner owner() {
    return user;
  }

  /** {@inheritDoc} Whether the session waits for a client. */
  @Override
  public boolean isWaiting() {
    return followerCount == 0 && !detached;
  }

  @Override
  public Progress progress() {
    return session.progress();
  }

  /** {@inheritDoc} Any thread. */
  @Override
  public void abort(FdtException cause) {
    own = cause;
    session.abort(cause);
  }

  /** {@inheritDoc} Any thread. */
  @Override
  public void detach() {
    detached = true;
  }

  /** {@inheritDoc} Any thread. */
  @Override
  public void left(DirectedRuns.Follower follower) {
    session
        .loop()
        .run(
            () -> {
              if (followers.remove(follower)) {
                followed();
              }
            });
  }

  /** {@inheritDoc} Any thread. */
  @Override
  public void attach(DirectedRuns.Follower follower, long heardPlusOne) {
    session.loop().run(() -> attachOnLoop(follower, heardPlusOne));
  }

  private void attachOnLoop(DirectedRuns.Follower follower, long heardPlusOne) {
    if (record == null && followers.size() >= DirectedRuns.MOST_FOLLOWERS) {
      RunMessages.refuse(follower);
      return;
    }
    if (record == null) {
      flush(); // before the messages below
      if (isWaiting() && heardPlusOne == 0) {
        detached = true; // its own client is gone: this one may go, too
      }
      followers.add(follower);
      followed();
    }
    RunLog.Backlog backlog =
        heardPlusOne == 0
            ? new RunLog.Backlog(log.problems(), 0)
            : log.after(Math.min(heardPlusOne - 1, log.count()));
    RunDescription what = record == null ? describe() : record.describe(runs.nowNanos());
    follower.send(
        RunMessages.attached(
            what.toBuilder().setCommand(RunMessages.command(request)).build(), backlog.missed()));
    RunMessages.sendEvents(follower, backlog.events(), log.count());
    if (record != null) {
      follower.send(RunMessages.ended(record));
      follower.close();
    }
  }

  private void follow(DirectedRuns.Follower follower) {
    followers.add(follower);
    followed();
  }

  private void followed() {
    followerCount = followers.size();
    leftNanos = session.loop().nanoTime();
  }

  @Override
  public RunDescription describe() {
    return RunMessages.description(request, plan.own(), plan.peerSpec())
        .setState(
            record != null
                ? RunState.RUN_ENDED
                : !session.isAgreed()
                    ? RunState.RUN_STARTING
                    : session.isWaiting() ? RunState.RUN_RECONNECTING : RunState.RUN_RUNNING)
        .setOwner(user.name())
        .setDetached(detached)
        .setClients(followerCount)
        .setElapsedMillis(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos))
        .setProgress(runProgress())
        .setBytesPerSecond(bytesPerSecond)
        .build();
  }

  @Override
  public void limit(long bytesPerSecond) throws FdtException {
    plan.ask(bytesPerSecond);
  }

  private void tick() {
    if (record != null) {
      return;
    }
    if (isWaiting() && session.loop().nanoTime() - leftNanos > patience.toNanos()) {
      abort(
          new FdtException(
              ErrorCode.CANCELLED,
              "the client that directs the transfer has gone, and did not come back within %d s"
                  .formatted(patience.toSeconds())));
    }
    rate.add(System.nanoTime(), session.progress().figures().bytesDone());
    bytesPerSecond = (long) rate.bytesPerSecond();
    RunProgress now = runProgress();
    boolean isNews = events.getEventsCount() > 0 || !now.equals(told);
    if (isNews || ++silentTicks >= TICKS_PER_SIGN) {
      flush();
    }
    session.loop().after(TICK_NANOS, this::tick);
  }

  private void flush() {
    silentTicks = 0;
    told = runProgress();
    Control message =
        Control.newBuilder()
            .setRunEvents(events.setProgress(told).setEventCount(log.count()))
            .build();
    followers.forEach(follower -> follower.send(message));
    events.clear();
  }

  private RunProgress runProgress() {
    return RunMessages.progress(session.progress(), session.stalledNanos());
  }

  private void tell(RunEvent.Builder builder) {
    RunEvent event = builder.build();
    log.add(event);
    events.addEvents(event);
    if (events.getEventsCount() >= RunMessages.MOST_EVENTS) {
      flush();
    }
  }

  @Override
  public void agreed() {
    tell(RunEvent.newBuilder().setAgreed(true));
  }

  /** {@inheritDoc} A restarted server no longer knows its tickets. */
  @Override
  public boolean isLost(ErrorCode answer) {
    return answer == ErrorCode.UNREACHABLE || answer == ErrorCode.UNAUTHENTICATED;
  }

  @Override
  public void dataAddresses(List<DataNode> addresses, int streamsEach) {
    hooks.dataAddresses(session, addresses, streamsEach);
  }

  @Override
  public FdtException whenLost(FdtException cause) {
    return new FdtException(
        ErrorCode.UNREACHABLE,
        peer() + " was restarted, and does not know the session any more",
        cause);
  }

  private String peer() {
    return request.getAddress().getHost() + ":" + request.getAddress().getPort();
  }

  @Override
  public void problem(String path, boolean skipped, ErrorCode code, String message) {
    hooks.filters().problem(path, skipped, message);
    hooks.log().problem(path, skipped, code, message);
    tell(RunMessages.problem(path, skipped, code, message));
  }

  @Override
  public void fileDone(Supplier<String> path, long size, boolean resumed, byte[] digest) {
    if (hooks.filters().wantsResults()) {
      hooks.filters().done(path.get(), size, digest);
    }
    hooks.log().done(path, size, digest);
    tell(RunMessages.done(path.get(), size, resumed, digest));
  }

  @Override
  public void fileUnchanged(Supplier<String> path, long size, boolean isNewer, byte[] digest) {
    if (hooks.filters().wantsResults()) {
      hooks.filters().unchanged(path.get(), size);
    }
    hooks.log().unchanged(path, size, digest);
    tell(RunEvent.newBuilder().setUnchanged(RunMessages.file(path, size).setNewer(isNewer)));
  }

  @Override
  public void fileDue(Supplier<String> path, long size, long toMove, boolean replaces) {
    tell(
        RunEvent.newBuilder()
            .setDue(RunMessages.file(path, size).setToMove(toMove).setReplaces(replaces)));
  }

  @Override
  public void fileUnfinished(Supplier<String> path, long written) {
    hooks.log().unfinished(path, written);
  }

  @Override
  public void deleted(String path, EntryKind kind, boolean pretended) {
    hooks.log().deleted(path);
    tell(RunMessages.deleted(path, kind, pretended));
  }

  @Override
  public void observed(Observation seen) {
    tell(RunEvent.newBuilder().setObserved(Observations.encode(seen)));
  }

  @Override
  public void notice(String message) {
    tell(RunEvent.newBuilder().setNotice(MessageText.fit(message)));
  }

  @Override
  public void finished() {
    session.finish();
  }

  @Override
  public void failed(FdtException cause) {
    own = cause;
    session.fail(cause);
  }

  @Override
  public void ended(FdtException failure) {
    try {
      flush();
      RunDescription.Builder last = describe().toBuilder();
      double seconds = Math.max(1e-3, (System.nanoTime() - startNanos) / 1e9);
      last.setState(RunState.RUN_ENDED)
          .setClients(0)
          .setCommand(RunMessages.command(request))
          .setBytesPerSecond((long) (session.progress().figures().bytesDone() / seconds))
          .setLost(session.isLost());
      if (failure != null) {
        boolean isOfPeer = failure != own && OF_A_SERVER.contains(failure.code());
        String message = (isOfPeer ? peer() + ": " : "") + failure.getMessage();
        last.setCode(failure.code().wireCode()).setMessage(MessageText.fit(message));
      }
      record = runs.ended(this, last.build(), log.problems());
      Control end = RunMessages.ended(record);
      for (DirectedRuns.Follower follower : followers) {
        follower.send(end);
        follower.close();
      }
      followers.clear();
    } finally { // whatever else fails, its places are free
      hooks.ended(this, failure);
    }
  }
}
