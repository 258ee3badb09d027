package io.fdt.server;

import com.google.protobuf.ByteString;
import io.fdt.core.engine.RunningSession;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Operand;
import io.fdt.core.node.DialRule;
import io.fdt.core.node.DialedSession;
import io.fdt.core.security.Grant;
import io.fdt.core.spec.TransferSpecCoding;
import io.fdt.core.storage.os.ExportedRoots;
import io.fdt.core.tuning.RateSource;
import io.fdt.core.wire.MessageText;
import io.fdt.core.wire.SessionId;
import io.fdt.core.wire.control.Delivery;
import io.fdt.core.wire.control.HandOver;
import io.fdt.core.wire.control.HandOverPlace;
import io.fdt.core.wire.control.Hello;
import io.fdt.core.wire.control.RunDescription;
import io.fdt.core.wire.control.RunEvent;
import io.fdt.core.wire.control.RunSession;
import io.fdt.core.wire.control.RunState;
import io.fdt.core.wire.stripe.DataNode;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What clients have left with this relay for other servers. Each delivery is a session that this
 * server dials by itself, tries again until its deadline, and finds again after a restart.
 *
 * <pre>
 *   place wanted --> FILLING (the client copies) --> STORED --> session --> DONE, for a day
 *                                                      ^------- away --'--> FAILED, for a day
 * </pre>
 *
 * <p>{@link #handOver} is for any thread that may block; all else happens on one thread.
 */
final class Deliveries implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Deliveries.class);

  /** What a client began to copy and never completed is kept so long. */
  private static final Duration UNFINISHED_KEPT_FOR = Duration.ofDays(7);

  private static final Duration LONGEST = Duration.ofDays(365);

  /** One that waits for a server makes way for others after so long. */
  private static final Duration TURN = Duration.ofMinutes(10);

  /** Between attempts; twice as long after each one. */
  private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);

  private static final Duration LAST_PAUSE = Duration.ofMinutes(5);

  /** Sessions of deliveries; each takes its part of what the server has for all sessions. */
  private static final int MOST_AT_ONCE = 16;

  /** Of all clients; one token can have half of them. Results count, too. */
  private static final int MOST = 1000;

  private static final long LOOK_MILLIS = 500;
  private static final long CLEAN_MILLIS = TimeUnit.HOURS.toMillis(1);

  private final Optional<Spool> spool;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          work -> {
            Thread made = new Thread(work, "fdt-server-deliveries");
            made.setDaemon(true);
            return made;
          });

  /** All that is stored, by its place. Changed under the lock of this. */
  private final Map<SessionId, Delivery> stored = new ConcurrentHashMap<>();

  /** Those whose sessions are there now. Changed on the thread only. */
  private final Set<SessionId> running = ConcurrentHashMap.newKeySet();

  /** Those that wait for their turn. Confined to the thread. */
  private final Deque<SessionId> line = new ArrayDeque<>();

  /** Attempts that have failed. Confined to the thread. */
  private final Map<SessionId, Integer> attempts = new HashMap<>();

  /** What copies to the spool have brought, as last seen. Confined to the thread. */
  private final Map<RunningSession, Long> filling = new LinkedHashMap<>();

  private ConnectionHost host;
  private ThirdParty thirdParty;
  private Closeable lock = () -> {};

  /** Of all files, but for what {@link #filling} counts; negative for unknown. */
  private volatile long restingBytes = -1;

  Deliveries(Optional<Spool> spool) {
    this.spool = spool;
  }

  /** Those that are to be delivered, also to servers that are away. Any thread. */
  int waiting() {
    return (int) stored.values().stream().filter(one -> !one.hasResult()).count();
  }

  /**
   * Opens the spool. Once, first.
   *
   * @throws FdtException another server has it, or it cannot be made
   */
  void open() throws FdtException {
    if (spool.isPresent()) {
      lock = spool.get().open();
    }
  }

  /**
   * Reads what is stored. Once, before clients come.
   *
   * @param rule to which addresses it delivers
   * @throws FdtException the spool cannot be read
   */
  void load(ConnectionHost ofServer, DialRule rule) throws FdtException {
    host = ofServer;
    thirdParty = ofServer.thirdParty().with(rule);
    if (spool.isPresent()) {
      for (Delivery delivery : spool.get().deliveries()) {
        stored.put(place(delivery), delivery);
      }
    }
  }

  /** Goes on with what is stored. Once. */
  void start() {
    if (spool.isPresent()) {
      thread.execute(guarded(this::resume));
      thread.scheduleWithFixedDelay(guarded(this::watch), 0, LOOK_MILLIS, TimeUnit.MILLISECONDS);
      thread.scheduleWithFixedDelay(guarded(this::clean), 0, CLEAN_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  /** What a client sees: of the spool, only what it has put there itself. */
  ExportedRoots confined(ExportedRoots roots, Grant grant) {
    if (spool.isEmpty()) {
      return roots;
    }
    return roots.without(
        Spool.EXPORT, mayHandOver(grant) ? Optional.of(Spool.prefix(grant)) : Optional.empty());
  }

  private static boolean mayHandOver(Grant grant) {
    boolean reaches = grant.exports().isEmpty() || grant.exports().contains(Spool.EXPORT);
    boolean isKnown = !grant.name().equals(FdtServer.ANONYMOUS);
    return reaches && isKnown && grant.thirdParty() && !grant.readOnly();
  }

  /** Work on the thread; what fails is told, and others go on. */
  private interface Work {
    void run() throws FdtException, InterruptedException;
  }

  private static Runnable guarded(Work work) {
    return () -> {
      try {
        work.run();
      } catch (FdtException e) {
        LOG.warn("spool reason={}", e.getMessage());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } catch (RuntimeException | Error e) {
        LOG.error("defect of deliveries", e);
      }
    };
  }

  /**
   * A client wants a place for files, or says that all are there.
   *
   * @throws FdtException FORBIDDEN; PROTOCOL; BUSY; STORAGE_FULL when the spool is full
   */
  HandOverPlace handOver(HandOver request, Grant grant, InetAddress client) throws FdtException {
    check(grant);
    SessionId place = Spool.place(grant, id(request.getId()));
    if (request.hasRun()) {
      store(place, request, grant, client);
    } else {
      offer(place);
    }
    Delivery known = stored.get(place);
    boolean isUnderWay = known != null && !known.hasResult();
    return HandOverPlace.newBuilder()
        .setPath(isUnderWay ? ByteString.EMPTY : ByteString.copyFrom(Spool.path(place).bytes()))
        .setBytes(spool.get().bytes(place))
        .build();
  }

  /** A place is there, unless all of the request is. What was delivered is not there again. */
  private synchronized void offer(SessionId place) throws FdtException {
    Delivery known = stored.get(place);
    if (known != null && !known.hasResult()) {
      return;
    }
    if (restingBytes > spool.get().size().bytes()) {
      throw full();
    }
    if (known != null) { // its files are continued if they are there
      stored.remove(place);
      spool.get().forget(place);
    }
    spool.get().touch(place);
  }

  private void check(Grant grant) throws FdtException {
    if (spool.isEmpty()) {
      throw new FdtException(
          ErrorCode.FORBIDDEN,
          "the relay keeps nothing; its administrator can start it with --spool DIR:SIZE");
    }
    if (!mayHandOver(grant)) {
      throw new FdtException(
          ErrorCode.FORBIDDEN,
          "the token does not allow leaving files with the relay; ask its administrator for"
              + " another one");
    }
    host.thirdParty().check(grant);
  }

  private FdtException full() {
    return new FdtException(
        ErrorCode.STORAGE_FULL,
        "the spool of the relay is full (%s): try again when it has delivered something"
            .formatted(spool.get().size()));
  }

  private static SessionId id(ByteString bytes) throws FdtException {
    try {
      return SessionId.of(bytes.toByteArray());
    } catch (IllegalArgumentException e) {
      throw new FdtException(ErrorCode.PROTOCOL, "bad request: " + e.getMessage(), e);
    }
  }

  private synchronized void store(
      SessionId place, HandOver request, Grant grant, InetAddress client) throws FdtException {
    Delivery known = stored.get(place);
    if (known != null && !known.hasResult()) {
      return; // it is delivered already
    }
    Duration deadline = Duration.ofSeconds(request.getDeadlineSeconds());
    if (deadline.isNegative() || deadline.compareTo(LONGEST) > 0) {
      throw new FdtException(ErrorCode.PROTOCOL, "bad request: deadline " + deadline);
    }
    checkCount(grant);
    checkRun(request, place);
    if (spool.get().bytes() > spool.get().size().bytes()) { // it came faster than anybody looked
      spool.get().discard(place);
      thread.execute(guarded(() -> spool.get().emptyTrash(host.roots())));
      throw full();
    }
    Delivery delivery =
        Delivery.newBuilder()
            .setHandOver(request)
            .setOwner(grant.name())
            .setOwnerCreated(grant.created().getEpochSecond())
            .setAddress(client.getHostAddress().replaceFirst("%.*", ""))
            .setDeadline(Instant.now().plus(deadline).getEpochSecond())
            .setPlace(ByteString.copyFrom(place.bytes()))
            .build();
    spool.get().keep(place, delivery);
    stored.put(place, delivery);
    LOG.info(
        "stored id={} token={} destination={}:{}",
        id(request.getId()).shortName(),
        grant.label(),
        request.getRun().getAddress().getHost(),
        request.getRun().getAddress().getPort());
    thread.execute(guarded(() -> queue(place)));
  }

  private void checkCount(Grant grant) throws FdtException {
    long own = stored.values().stream().filter(one -> one.getOwner().equals(grant.name())).count();
    if (stored.size() >= MOST || own >= MOST / 2) {
      throw new FdtException(
          ErrorCode.BUSY, "the relay has too many requests already: try again later");
    }
  }

  /** It may read its place and nothing else, with the rights that any session has. */
  private void checkRun(HandOver request, SessionId place) throws FdtException {
    SessionRequest own = host.checked(request.getRun().getOwn());
    boolean isRight =
        own.isPull() && own.id().equals(id(request.getId())) && !own.isNettest() && !own.inOrder();
    boolean isWhole = !own.spec().dryRun() && own.spec().part().isWhole() && spool.get().has(place);
    boolean isWithin = own.spec().sources().stream().allMatch(one -> isWithin(one, place));
    if (!isRight || !isWhole || !isWithin) {
      throw new FdtException(
          ErrorCode.PROTOCOL,
          "bad request: the session must send what lies in the place that the relay gave");
    }
    TransferSpecCoding.decode(request.getRun().getPeer().getSpec());
    thirdParty.dialer(request.getRun().getAddress(), Hello.newBuilder(), false, host.deadlines());
  }

  private static boolean isWithin(Operand source, SessionId place) {
    try {
      List<FileName> names = source.path().names();
      return names.size() > 2
          && names.get(0).equals(Spool.EXPORT)
          && names.get(1).equals(FileName.of(place.toString()));
    } catch (IllegalArgumentException e) {
      return false; // ".."
    }
  }

  private static SessionId place(Delivery delivery) {
    return SessionId.of(delivery.getPlace().toByteArray());
  }

  private static SessionId session(Delivery delivery) {
    return SessionId.of(delivery.getHandOver().getId().toByteArray());
  }

  private void resume() {
    List<Delivery> all = new ArrayList<>(stored.values());
    all.sort(Comparator.comparingLong(Delivery::getEnded));
    for (Delivery delivery : all) {
      if (delivery.hasResult()) {
        restore(delivery);
      } else {
        line.add(place(delivery));
      }
    }
    deliverNext();
  }

  /** Whoever asks hears how it ended. */
  private void restore(Delivery ended) {
    thirdParty
        .runs()
        .restored(
            session(ended),
            owner(ended),
            Duration.ofSeconds(Math.max(0, Instant.now().getEpochSecond() - ended.getEnded())),
            ended.getResult(),
            ended.getProblemsList());
  }

  private static RunOwner owner(Delivery delivery) {
    Grant grant =
        Grant.unlimited(delivery.getOwner(), Instant.ofEpochSecond(delivery.getOwnerCreated()));
    return RunOwner.of(grant, address(delivery));
  }

  /** A literal address: nobody is asked. */
  private static InetAddress address(Delivery delivery) {
    try {
      return InetAddress.getByName(delivery.getAddress());
    } catch (UnknownHostException e) {
      return InetAddress.getLoopbackAddress();
    }
  }

  private void queue(SessionId place) {
    if (!line.contains(place) && !running.contains(place)) {
      line.add(place);
    }
    deliverNext();
  }

  private void queueLater(SessionId place, FdtException why) {
    int failed = attempts.merge(place, 1, Integer::sum);
    long pause =
        Math.min(LAST_PAUSE.toMillis(), FIRST_PAUSE.toMillis() << Math.min(failed - 1, Byte.SIZE));
    LOG.info(
        "delivery fails for now id={} attempt={} next={}s reason={}",
        place.shortName(),
        failed,
        TimeUnit.MILLISECONDS.toSeconds(pause),
        why.getMessage());
    later(() -> queue(place), pause);
  }

  private void later(Work work, long millis) {
    if (!thread.isShutdown()) {
      thread.schedule(guarded(work), millis, TimeUnit.MILLISECONDS);
    }
  }

  private void deliverNext() {
    while (running.size() < MOST_AT_ONCE && !line.isEmpty()) {
      Delivery delivery = stored.get(line.remove());
      if (delivery != null && !delivery.hasResult()) {
        deliver(delivery);
      }
    }
  }

  /** Runs the session of a delivery. */
  private void deliver(Delivery delivery) {
    SessionId place = place(delivery);
    running.add(place);
    try {
      start(delivery);
    } catch (FdtException e) {
      refused(delivery, e);
    } catch (RuntimeException | Error e) {
      LOG.error("defect of a delivery id={}", session(delivery).shortName(), e);
      refused(delivery, FdtException.unforeseen("the relay failed", e));
    }
  }

  private static Duration left(Delivery delivery) {
    Duration left = Duration.between(Instant.now(), Instant.ofEpochSecond(delivery.getDeadline()));
    return left.isNegative() ? Duration.ZERO : left;
  }

  private void start(Delivery delivery) throws FdtException {
    Duration left = left(delivery);
    Duration turn = left.compareTo(TURN) < 0 ? left : TURN;
    RunSession run =
        delivery.getHandOver().getRun().toBuilder()
            .setRetryTimeoutPlusOne(turn.toMillis() + 1)
            .build();
    Grant grant =
        host.tokens().find(delivery.getOwner(), Instant.ofEpochSecond(delivery.getOwnerCreated()));
    check(grant);
    SessionRequest own = host.checked(run.getOwn());
    DirectedRun.start(
        run,
        own,
        new SessionTrees(host.roots())
            .work(
                own,
                false,
                host.sessions().descriptors().of(grant, address(delivery)),
                host.nodes().of(own)),
        thirdParty,
        owner(delivery),
        new DirectedRun.Start(
            Hello.newBuilder().setToken(delivery.getHandOver().getToken()), Optional.empty(), turn),
        new Watch(delivery, own, grant));
  }

  /** Its session did not begin. */
  private void refused(Delivery delivery, FdtException cause) {
    if (mayPass(cause) && !left(delivery).isZero()) {
      running.remove(place(delivery));
      queueLater(place(delivery), cause);
      return;
    }
    LOG.warn("not delivered id={} reason={}", session(delivery).shortName(), cause.getMessage());
    end(delivery, failed(delivery, cause), List.of(), false);
  }

  /** What a person would wait for. */
  private static boolean mayPass(FdtException cause) {
    return cause.code().retry() == ErrorCode.Retry.LATER
        && cause.code() != ErrorCode.CANCELLED
        && cause.code() != ErrorCode.PROTOCOL;
  }

  private static RunDescription failed(Delivery delivery, FdtException cause) {
    return RunDescription.newBuilder()
        .setId(delivery.getHandOver().getId())
        .setSends(true)
        .setPeerHost(delivery.getHandOver().getRun().getAddress().getHost())
        .setPeerPort(delivery.getHandOver().getRun().getAddress().getPort())
        .setState(RunState.RUN_ENDED)
        .setOwner(delivery.getOwner())
        .setCode(cause.code().wireCode())
        .setMessage(MessageText.fit(cause.getMessage()))
        .build();
  }

  /** What happens to the session of one delivery. Any thread. */
  private final class Watch implements DirectedRun.Owner {
    private final Delivery delivery;
    private final SessionRequest own;
    private final Grant grant;

    Watch(Delivery delivery, SessionRequest own, Grant grant) {
      this.delivery = delivery;
      this.own = own;
      this.grant = grant;
    }

    @Override
    public RateSource begins(RunningSession session) throws FdtException {
      return host.sessions().add(session, own, grant, address(delivery), Spool.EXPORT.toString());
    }

    @Override
    public void dataAddresses(DialedSession session, List<DataNode> addresses, int streamsEach) {
      host.nodes().dial(session.id(), addresses, streamsEach);
    }

    @Override
    public SessionFilters filters() {
      return SessionFilters.none(own);
    }

    @Override
    public void ended(RunningSession session, FdtException failure) {
      host.sessions().remove(session, failure);
      host.nodes().forget(own);
      if (!thread.isShutdown()) {
        thread.execute(guarded(() -> afterwards(delivery, failure)));
      }
    }
  }

  private void afterwards(Delivery delivery, FdtException failure) {
    if (failure != null && mayPass(failure) && !left(delivery).isZero()) {
      running.remove(place(delivery));
      queueLater(place(delivery), failure);
      deliverNext();
      return;
    }
    Optional<DirectedRuns.Ended> record =
        thirdParty.runs().ended(session(delivery), owner(delivery));
    RunDescription last =
        record
            .map(DirectedRuns.Ended::last)
            .orElseGet(
                () ->
                    failed(
                        delivery,
                        failure != null
                            ? failure
                            : new FdtException(ErrorCode.INTERNAL, "the result was lost")));
    boolean isWhole = failure == null && last.getProgress().getFailures() == 0;
    boolean isCancelled = failure != null && failure.code() == ErrorCode.CANCELLED;
    LOG.info("delivery ended id={} whole={}", session(delivery).shortName(), isWhole);
    end(
        delivery,
        last,
        record.map(DirectedRuns.Ended::problems).orElse(List.of()),
        isWhole || isCancelled);
  }

  /**
   * Stores how it ended; tries again until that is stored.
   *
   * @param discards whether its files go
   */
  private void end(
      Delivery delivery, RunDescription last, List<RunEvent> problems, boolean discards) {
    SessionId place = place(delivery);
    Delivery done =
        delivery.toBuilder()
            .setHandOver(delivery.getHandOver().toBuilder().clearToken())
            .setResult(last)
            .clearProblems()
            .addAllProblems(problems)
            .setEnded(Instant.now().getEpochSecond())
            .build();
    try {
      synchronized (this) { // nobody gets the place in between
        spool.get().keep(place, done);
        if (discards) {
          spool.get().discard(place);
        }
        stored.put(place, done);
        restore(done);
      }
    } catch (FdtException e) {
      LOG.warn("the end of a delivery cannot be stored reason={}", e.getMessage());
      later(() -> end(delivery, last, problems, discards), FIRST_PAUSE.toMillis());
      return;
    }
    running.remove(place);
    attempts.remove(place);
    restingBytes = -1;
    later(() -> spool.get().emptyTrash(host.roots()), 0);
    deliverNext();
  }

  /** Ends the youngest copy to a spool that is full. */
  private void watch() {
    List<RunningSession> now = host.sessions().writingTo(Spool.EXPORT.toString());
    if (now.isEmpty()) {
      if (restingBytes < 0 || !filling.isEmpty()) {
        filling.clear();
        restingBytes = spool.get().bytes();
      }
      return;
    }
    for (RunningSession ended : List.copyOf(filling.keySet())) {
      if (!now.contains(ended)) {
        restingBytes = Math.max(0, restingBytes) + filling.remove(ended);
      }
    }
    long coming = 0;
    RunningSession youngest = null;
    for (RunningSession session : now) {
      long brought = session.progress().bytesDone();
      youngest = filling.put(session, brought) == null ? session : youngest;
      coming += brought;
    }
    if (Math.max(0, restingBytes) + coming > spool.get().size().bytes()) {
      (youngest == null ? now.get(now.size() - 1) : youngest).abort(full());
    }
  }

  /** Forgets old results, and what nobody completes or could deliver. */
  private void clean() throws FdtException, InterruptedException {
    Instant resultsBefore = Instant.now().minus(DirectedRuns.KEPT_FOR);
    List<SessionId> old = spool.get().untouchedSince(Instant.now().minus(UNFINISHED_KEPT_FOR));
    List<BytePath> written = host.sessions().destinationsIn(Spool.EXPORT.toString());
    synchronized (this) {
      for (Delivery delivery : List.copyOf(stored.values())) {
        if (delivery.hasResult() && delivery.getEnded() < resultsBefore.getEpochSecond()) {
          spool.get().discard(place(delivery));
          spool.get().forget(place(delivery));
          stored.remove(place(delivery));
        }
      }
      for (SessionId place : old) {
        boolean isWritten =
            written.stream().anyMatch(path -> path.toString().contains(place.toString()));
        if (!stored.containsKey(place) && !isWritten) {
          spool.get().discard(place);
        }
      }
    }
    spool.get().emptyTrash(host.roots());
  }

  @Override
  public void close() {
    thread.shutdownNow();
    try {
      lock.close();
    } catch (IOException e) {
      LOG.warn("the spool stays locked reason={}", e.getMessage());
    }
  }
}
