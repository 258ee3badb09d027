package io.fdt.server;

import com.google.protobuf.ByteString;
import io.fdt.core.engine.Observations;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.metrics.Progress;
import io.fdt.core.model.EntryKind;
import io.fdt.core.node.DialedSession;
import io.fdt.core.node.SessionPlan;
import io.fdt.core.node.SessionWork;
import io.fdt.core.spec.SessionDeadlines;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.transport.ControlConnection;
import io.fdt.core.tuning.Observation;
import io.fdt.core.tuning.RateSource;
import io.fdt.core.wire.DeletionMessages;
import io.fdt.core.wire.MessageText;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.Deleted;
import io.fdt.core.wire.control.Hello;
import io.fdt.core.wire.control.OpenSession;
import io.fdt.core.wire.control.RunEnded;
import io.fdt.core.wire.control.RunEvent;
import io.fdt.core.wire.control.RunEvents;
import io.fdt.core.wire.control.RunFile;
import io.fdt.core.wire.control.RunProgress;
import io.fdt.core.wire.control.RunSession;
import io.fdt.core.wire.control.SkippedEntry;
import io.fdt.core.wire.stripe.DataNode;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * A session that this server dials for a client, which directs it and hears what happens. The
 * client's connection carries events and figures only; when it is gone the session ends.
 *
 * <p>Confined to the event loop of the session, but for {@link #cancel}.
 */
final class DirectedRun implements DialedSession.Listener {
  /** Its server. */
  interface Owner {
    /**
     * The session is about to begin.
     *
     * @return how fast it may be
     * @throws FdtException when the server has no room for it
     */
    RateSource begins(DialedSession session) throws FdtException;

    /** Where the peer takes data streams, for the data nodes of this server. */
    void dataAddresses(DialedSession session, List<DataNode> addresses, int streamsEach);

    /** Around each file, for the filters of the server. */
    SessionFilters filters();

    /**
     * It has ended and holds nothing any more.
     *
     * @param failure null when the transfer came to its end
     */
    void ended(DialedSession session, FdtException failure);
  }

  private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** A sign of life, however little happens. */
  private static final int TICKS_PER_SIGN = 10;

  private static final int MOST_EVENTS = 500;

  private final ControlConnection director;
  private final Owner owner;
  private final Plan plan;
  private final DialedSession session;
  private final RunEvents.Builder events = RunEvents.newBuilder();
  private RunProgress told = RunProgress.getDefaultInstance();
  private int silentTicks;
  private boolean ended;

  private DirectedRun(
      RunSession run,
      SessionRequest own,
      SessionWork work,
      ThirdParty thirdParty,
      ControlConnection director,
      Owner owner)
      throws FdtException {
    this.director = director;
    this.owner = owner;
    this.plan = new Plan(own, run.getPeer(), work);
    this.session =
        new DialedSession(
            thirdParty.dialer(
                run.getAddress(),
                Hello.newBuilder().setTicket(run.getTicket()),
                own.isEncrypted(),
                deadlines(run)),
            plan,
            own.id(),
            own.secret(),
            this);
    plan.rate = owner.begins(session);
  }

  /**
   * Starts one.
   *
   * @param own this server's half
   * @param work what this server does
   * @throws FdtException the request makes no sense, or the server has no room for it
   */
  static DirectedRun start(
      RunSession run,
      SessionRequest own,
      SessionWork work,
      ThirdParty thirdParty,
      ControlConnection director,
      Owner owner)
      throws FdtException {
    DirectedRun started = new DirectedRun(run, own, work, thirdParty, director, owner);
    started.session.start();
    started.session.loop().run(started::tick);
    return started;
  }

  private static SessionDeadlines deadlines(RunSession run) throws FdtException {
    SessionDeadlines deadlines = SessionDeadlines.DEFAULT;
    if (run.getIdleTimeout() != 0) {
      deadlines = deadlines.withIdleTimeout(millis(run.getIdleTimeout()));
    }
    if (run.getRetryTimeoutPlusOne() != 0) {
      deadlines = deadlines.withRetryTimeout(millis(run.getRetryTimeoutPlusOne() - 1));
    }
    if (run.getStallTimeout() != 0) {
      deadlines = deadlines.withStallTimeout(millis(run.getStallTimeout()));
    }
    return deadlines;
  }

  private static Duration millis(long millis) throws FdtException {
    if (millis < 0 || millis > TimeUnit.DAYS.toMillis(365)) {
      throw new FdtException(ErrorCode.PROTOCOL, "bad request: a timeout of " + millis + " ms");
    }
    return Duration.ofMillis(millis);
  }

  /** What the session asks of its peer, and does itself. */
  private static final class Plan implements SessionPlan {
    private final SessionRequest own;
    private final OpenSession peer;
    private final SessionWork work;
    private volatile RateSource rate = RateSource.NONE;
    private volatile long asked;

    Plan(SessionRequest own, OpenSession peer, SessionWork work) {
      this.own = own;
      this.peer = peer;
      this.work = work;
      this.asked = own.rateLimit();
    }

    @Override
    public SessionPlan over(Duration roundTrip) {
      return this;
    }

    @Override
    public OpenSession open() {
      return peer;
    }

    @Override
    public TransferSpec spec() {
      return own.spec();
    }

    @Override
    public boolean isPull() {
      return !own.isPull(); // what this server sends, its peer does not
    }

    /** The lower one of the server's limit and the client's. */
    @Override
    public RateSource limit() {
      return () -> {
        long ofServer = rate.bytesPerSecond();
        long ofClient = asked;
        return ofClient == 0 || (ofServer != 0 && ofServer < ofClient) ? ofServer : ofClient;
      };
    }

    @Override
    public SessionWork work() {
      return work;
    }
  }

  /** The client does not want it any more, or has gone. Any thread. */
  void cancel(FdtException cause) {
    session.abort(cause);
  }

  /**
   * The client wants another rate.
   *
   * @throws FdtException PROTOCOL when it is none
   */
  void limit(long bytesPerSecond) throws FdtException {
    if (bytesPerSecond < 0) {
      throw new FdtException(ErrorCode.PROTOCOL, "bad request: rate limit " + bytesPerSecond);
    }
    plan.asked = bytesPerSecond;
  }

  private void tick() {
    if (ended) {
      return;
    }
    RunProgress now = progress();
    boolean isNews = events.getEventsCount() > 0 || !now.equals(told);
    if (isNews || ++silentTicks >= TICKS_PER_SIGN) {
      flush();
    }
    session.loop().after(TICK_NANOS, this::tick);
  }

  private void flush() {
    silentTicks = 0;
    told = progress();
    director.send(Control.newBuilder().setRunEvents(events.setProgress(told)).build());
    events.clear();
  }

  private RunProgress progress() {
    Progress p = session.progress();
    long stalledMillis = TimeUnit.NANOSECONDS.toMillis(session.stalledNanos());
    return RunProgress.newBuilder()
        .setBytesDone(p.bytesDone())
        .setBytesTotal(p.bytesTotal())
        .setFilesDone(p.filesDone())
        .setFilesUnchanged(p.filesUnchanged())
        .setFailures(p.failures())
        .setFilesTotal(p.filesTotal())
        .setDirectories(p.directories())
        .setLinks(p.links())
        .setSkipped(p.skipped())
        .setBlocksRepeated(p.blocksRepeated())
        .setTotalsAreFinal(p.totalsAreFinal())
        .setBytesKept(p.bytesKept())
        .setStreams(p.streams())
        .setWireBytes(p.wireBytes())
        .setFilesDue(p.filesDue())
        .setDeleted(p.deleted())
        .setStalledMillis(stalledMillis < TimeUnit.SECONDS.toMillis(1) ? 0 : stalledMillis)
        .build();
  }

  private void tell(RunEvent.Builder event) {
    events.addEvents(event);
    if (events.getEventsCount() >= MOST_EVENTS) {
      flush();
    }
  }

  @Override
  public void agreed() {
    tell(RunEvent.newBuilder().setAgreed(true));
  }

  @Override
  public void dataAddresses(List<DataNode> addresses, int streamsEach) {
    owner.dataAddresses(session, addresses, streamsEach);
  }

  @Override
  public FdtException whenLost(FdtException cause) {
    return cause;
  }

  @Override
  public void problem(String path, boolean skipped, ErrorCode code, String message) {
    owner.filters().problem(path, skipped, message);
    tell(
        RunEvent.newBuilder()
            .setProblem(
                SkippedEntry.newBuilder()
                    .setPath(ByteString.copyFromUtf8(path))
                    .setSkipped(skipped)
                    .setCode(code.wireCode())
                    .setMessage(MessageText.fit(message))));
  }

  @Override
  public void fileDone(Supplier<String> path, long size, byte[] digest) {
    if (owner.filters().wantsResults()) {
      owner.filters().done(path.get(), size, digest);
    }
    RunFile.Builder file = file(path, size).setDigest(ByteString.copyFrom(digest));
    tell(RunEvent.newBuilder().setDone(file));
  }

  @Override
  public void fileUnchanged(Supplier<String> path, long size) {
    if (owner.filters().wantsResults()) {
      owner.filters().unchanged(path.get(), size);
    }
    tell(RunEvent.newBuilder().setUnchanged(file(path, size)));
  }

  @Override
  public void fileDue(Supplier<String> path, long size, long toMove) {
    tell(RunEvent.newBuilder().setDue(file(path, size).setToMove(toMove)));
  }

  private static RunFile.Builder file(Supplier<String> path, long size) {
    return RunFile.newBuilder().setPath(path.get()).setSize(size);
  }

  @Override
  public void deleted(String path, EntryKind kind, boolean pretended) {
    Deleted.Builder deleted =
        Deleted.newBuilder()
            .setPath(ByteString.copyFromUtf8(path))
            .setKind(DeletionMessages.kindOf(kind));
    tell(RunEvent.newBuilder().setDeleted(deleted).setPretended(pretended));
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
    session.fail(cause);
  }

  @Override
  public void ended(FdtException failure) {
    ended = true;
    try {
      flush();
      RunEnded.Builder end =
          RunEnded.newBuilder().setProgress(progress()).setLost(session.isLost());
      if (failure != null) {
        end.setCode(failure.code().wireCode()).setMessage(MessageText.fit(failure.getMessage()));
      }
      director.send(Control.newBuilder().setRunEnded(end).build());
      director.close();
    } finally { // whatever else fails, its places are free
      owner.ended(session, failure);
    }
  }
}
