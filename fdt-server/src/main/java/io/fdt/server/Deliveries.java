package io.fdt.server;

import com.google.protobuf.ByteString;
import io.fdt.core.engine.RunningSession;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Operand;
import io.fdt.core.node.DialedSession;
import io.fdt.core.security.Grant;
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
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
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
 *   place wanted --> FILLING (the client copies) --> STORED --> session --> DONE, for a week
 *                                                      ^------- away --'--> FAILED, for a week
 * </pre>
 *
 * <p>{@link #handOver} is for any thread that may block; all else happens on one thread.
 */
final class Deliveries implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Deliveries.class);

  /** Results are kept so long, and what a client began to copy and never completed. */
  private static final Duration KEPT_FOR = Duration.ofDays(7);

  private static final Duration LONGEST = Duration.ofDays(365);

  /** One that waits for a server makes way for others after so long. */
  private static final Duration TURN = Duration.ofMinutes(10);

  private static final Duration PAUSE = Duration.ofSeconds(1);

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

  private ConnectionHost host;
  private long measuredBytes;
  private boolean isFilling;

  Deliveries(Optional<Spool> spool) {
    this.spool = spool;
  }

  /** Those that are to be delivered, also to servers that are away. Any thread. */
  int waiting() {
    return (int) stored.values().stream().filter(one -> !one.hasResult()).count();
  }

  /**
   * Goes on with what is stored. Once, before clients come.
   *
   * @throws FdtException the spool cannot be read
   */
  void start(ConnectionHost ofServer) throws FdtException {
    host = ofServer;
    if (spool.isPresent()) {
      for (Delivery delivery : spool.get().deliveries()) {
        stored.put(place(delivery), delivery);
      }
      thread.execute(guarded(this::resume));
      thread.scheduleWithFixedDelay(
          guarded(this::watch), LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
      thread.scheduleWithFixedDelay(guarded(this::clean), 0, CLEAN_MILLIS, TimeUnit.MILLISECONDS);
    }
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
    } else if (spool.get().isOver(0)) {
      throw full();
    }
    Delivery known = stored.get(place);
    boolean isUnderWay = known != null && !known.hasResult();
    return HandOverPlace.newBuilder()
        .setPath(isUnderWay ? ByteString.EMPTY : ByteString.copyFrom(Spool.path(place).bytes()))
        .setBytes(spool.get().bytes(place))
        .build();
  }

  private void check(Grant grant) throws FdtException {
    if (spool.isEmpty()) {
      throw new FdtException(
          ErrorCode.FORBIDDEN,
          "the relay keeps nothing; its administrator can start it with --spool DIR:SIZE");
    }
    boolean reaches = grant.exports().isEmpty() || grant.exports().contains(Spool.EXPORT);
    if (!reaches || grant.readOnly()) {
      throw new FdtException(
          ErrorCode.FORBIDDEN, "the token does not allow to leave files with the relay");
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
    if (spool.get().isOver(0)) { // it came faster than anybody looked
      thread.execute(guarded(() -> spool.get().removeFiles(host.roots(), place)));
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
    if (!isRight || !own.spec().sources().stream().allMatch(one -> isWithin(one, place))) {
      throw new FdtException(ErrorCode.PROTOCOL, "bad request: it reads something else");
    }
    ThirdParty.key(request.getRun().getAddress().getKey().toByteArray());
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

  private void resume() throws FdtException {
    for (Delivery delivery : stored.values()) {
      if (!delivery.hasResult()) {
        queue(place(delivery));
        continue;
      }
      long age = Math.max(0, Instant.now().getEpochSecond() - delivery.getEnded());
      host.thirdParty()
          .runs()
          .restored(
              session(delivery),
              owner(delivery),
              Duration.ofSeconds(age),
              delivery.getResult(),
              delivery.getProblemsList());
    }
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

  private void queue(SessionId place) throws FdtException {
    if (!line.contains(place) && !running.contains(place)) {
      line.add(place);
    }
    deliverNext();
  }

  private void queueLater(SessionId place) {
    if (!thread.isShutdown()) {
      thread.schedule(guarded(() -> queue(place)), PAUSE.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  private void deliverNext() throws FdtException {
    while (running.size() < MOST_AT_ONCE && !line.isEmpty()) {
      Delivery delivery = stored.get(line.remove());
      if (delivery != null && !delivery.hasResult()) {
        deliver(delivery);
      }
    }
  }

  /** Runs the session of a delivery. */
  private void deliver(Delivery delivery) throws FdtException {
    SessionId place = place(delivery);
    Duration left = Duration.between(Instant.now(), Instant.ofEpochSecond(delivery.getDeadline()));
    Duration patience = left.isNegative() ? Duration.ZERO : left;
    Duration turn = patience.compareTo(TURN) < 0 ? patience : TURN;
    RunSession run =
        delivery.getHandOver().getRun().toBuilder()
            .setRetryTimeoutPlusOne(patience.toMillis() + 1)
            .build();
    running.add(place);
    try {
      Grant grant =
          host.tokens()
              .find(delivery.getOwner(), Instant.ofEpochSecond(delivery.getOwnerCreated()));
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
          host.thirdParty(),
          owner(delivery),
          new DirectedRun.Start(
              Hello.newBuilder().setToken(delivery.getHandOver().getToken()),
              Optional.empty(),
              turn),
          new Watch(delivery, own, grant));
    } catch (FdtException e) {
      running.remove(place);
      if (e.code().retry() == ErrorCode.Retry.LATER && !patience.isZero()) {
        queueLater(place);
      } else {
        LOG.warn("not delivered id={} reason={}", session(delivery).shortName(), e.getMessage());
        RunDescription last =
            RunDescription.newBuilder()
                .setId(delivery.getHandOver().getId())
                .setState(RunState.RUN_ENDED)
                .setOwner(delivery.getOwner())
                .setCode(e.code().wireCode())
                .setMessage(MessageText.fit(e.getMessage()))
                .build();
        end(delivery, last, List.of());
        host.thirdParty()
            .runs()
            .restored(session(delivery), owner(delivery), Duration.ZERO, last, List.of());
      }
    } catch (RuntimeException | Error e) {
      running.remove(place);
      throw e;
    }
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

  private void afterwards(Delivery delivery, FdtException failure)
      throws FdtException, InterruptedException {
    SessionId place = place(delivery);
    running.remove(place);
    boolean isTime = Instant.now().getEpochSecond() < delivery.getDeadline();
    boolean isCancelled = failure != null && failure.code() == ErrorCode.CANCELLED;
    boolean mayPass = failure != null && failure.code().retry() == ErrorCode.Retry.LATER;
    if (mayPass && !isCancelled && isTime) {
      queueLater(place);
      deliverNext();
      return;
    }
    DirectedRuns.Ended record =
        host.thirdParty().runs().ended(session(delivery), owner(delivery)).orElseThrow();
    end(delivery, record.last(), record.problems());
    boolean isWhole = failure == null && record.last().getProgress().getFailures() == 0;
    LOG.info("delivery ended id={} whole={}", session(delivery).shortName(), isWhole);
    if (isWhole || isCancelled) {
      spool.get().removeFiles(host.roots(), place);
    }
    deliverNext();
  }

  private synchronized void end(Delivery delivery, RunDescription last, List<RunEvent> problems)
      throws FdtException {
    Delivery done =
        delivery.toBuilder()
            .setHandOver(delivery.getHandOver().toBuilder().clearToken())
            .setResult(last)
            .clearProblems()
            .addAllProblems(problems)
            .setEnded(Instant.now().getEpochSecond())
            .build();
    stored.put(place(delivery), done);
    spool.get().keep(place(delivery), done);
  }

  /** Ends copies to a spool that is full. */
  private void watch() {
    List<RunningSession> filling = host.sessions().writingTo(Spool.EXPORT.toString());
    if (filling.isEmpty()) {
      isFilling = false;
      return;
    }
    if (!isFilling) { // measured when the first one begins
      measuredBytes = spool.get().bytes();
      isFilling = true;
    }
    long coming = filling.stream().mapToLong(session -> session.progress().bytesDone()).sum();
    if (measuredBytes + coming > spool.get().size().bytes()) {
      isFilling = false;
      FdtException full = full();
      filling.forEach(session -> session.abort(full));
    }
  }

  /** Forgets old results, and what nobody completes or could deliver. */
  private void clean() throws FdtException, InterruptedException {
    Instant longAgo = Instant.now().minus(KEPT_FOR);
    for (Delivery delivery : List.copyOf(stored.values())) {
      if (delivery.hasResult() && delivery.getEnded() < longAgo.getEpochSecond()) {
        spool.get().removeFiles(host.roots(), place(delivery));
        spool.get().forget(place(delivery));
        stored.remove(place(delivery));
      }
    }
    for (SessionId place : spool.get().untouchedSince(longAgo)) {
      if (!stored.containsKey(place)) {
        spool.get().removeFiles(host.roots(), place);
      }
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
