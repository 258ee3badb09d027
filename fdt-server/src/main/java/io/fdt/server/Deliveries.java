package io.fdt.server;

import com.google.protobuf.ByteString;
import io.fdt.core.engine.RunningSession;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Operand;
import io.fdt.core.node.DialedSession;
import io.fdt.core.security.Grant;
import io.fdt.core.tuning.RateSource;
import io.fdt.core.wire.SessionId;
import io.fdt.core.wire.control.Delivery;
import io.fdt.core.wire.control.HandOver;
import io.fdt.core.wire.control.HandOverPlace;
import io.fdt.core.wire.control.Hello;
import io.fdt.core.wire.control.RunDescription;
import io.fdt.core.wire.control.RunEvent;
import io.fdt.core.wire.control.RunSession;
import io.fdt.core.wire.stripe.DataNode;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
  private static final Duration PAUSE = Duration.ofSeconds(5);
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

  /** Changed on the thread only. */
  private final Map<SessionId, DirectedRun> running = new ConcurrentHashMap<>();

  private ConnectionHost host;
  private long measuredBytes;
  private boolean hasChanged = true;

  Deliveries(Optional<Spool> spool) {
    this.spool = spool;
  }

  /** Those under way, also to servers that are away. Any thread. */
  int waiting() {
    return running.size();
  }

  /** Goes on with what is stored. Once. */
  void start(ConnectionHost ofServer) {
    host = ofServer;
    if (spool.isPresent()) {
      thread.execute(guarded(this::load));
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
   * @throws FdtException FORBIDDEN; PROTOCOL; STORAGE_FULL when the spool is full
   */
  HandOverPlace handOver(HandOver request, Grant grant, InetAddress client) throws FdtException {
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
    SessionId id = id(request.getId());
    long free = spool.get().size().bytes() - spool.get().bytes();
    if (free < 0) {
      throw full();
    }
    if (request.hasRun()) {
      store(id, request, grant, client);
    }
    boolean isKnown = find(id, grant).filter(known -> !known.hasResult()).isPresent();
    return HandOverPlace.newBuilder()
        .setPath(isKnown ? ByteString.EMPTY : ByteString.copyFrom(Spool.path(id).bytes()))
        .setBytes(spool.get().bytes(id))
        .build();
  }

  private Optional<Delivery> find(SessionId id, Grant grant) throws FdtException {
    return spool.get().deliveries().stream()
        .filter(one -> one.getHandOver().getId().equals(ByteString.copyFrom(id.bytes())))
        .filter(one -> isOf(one, grant))
        .findFirst();
  }

  private static boolean isOf(Delivery delivery, Grant grant) {
    return delivery.getOwner().equals(grant.name())
        && delivery.getOwnerCreated() == grant.created().getEpochSecond();
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

  private void store(SessionId id, HandOver request, Grant grant, InetAddress client)
      throws FdtException {
    Duration deadline = Duration.ofSeconds(request.getDeadlineSeconds());
    if (deadline.isNegative() || deadline.compareTo(LONGEST) > 0) {
      throw new FdtException(ErrorCode.PROTOCOL, "bad request: deadline " + deadline);
    }
    SessionRequest own = host.checked(request.getRun().getOwn());
    boolean isRight = own.isPull() && own.id().equals(id) && !own.isNettest();
    if (!isRight || !own.spec().sources().stream().allMatch(source -> isWithin(source, id))) {
      throw new FdtException(ErrorCode.PROTOCOL, "bad request: it reads something else");
    }
    Delivery delivery =
        Delivery.newBuilder()
            .setHandOver(request)
            .setOwner(grant.name())
            .setOwnerCreated(grant.created().getEpochSecond())
            .setAddress(client.getHostAddress().replaceFirst("%.*", ""))
            .setDeadline(Instant.now().plus(deadline).getEpochSecond())
            .build();
    spool.get().keep(id, delivery);
    LOG.info(
        "stored id={} token={} destination={}:{}",
        id.shortName(),
        grant.label(),
        request.getRun().getAddress().getHost(),
        request.getRun().getAddress().getPort());
    thread.execute(guarded(() -> deliver(delivery)));
  }

  private static boolean isWithin(Operand source, SessionId id) {
    BytePath place = Spool.path(id);
    String path = source.path().toString();
    return path.startsWith(place + "/") && !path.contains("/../") && !path.endsWith("/..");
  }

  private void load() throws FdtException {
    for (Delivery delivery : spool.get().deliveries()) {
      if (delivery.hasResult()) {
        long age = Math.max(0, Instant.now().getEpochSecond() - delivery.getEnded());
        host.thirdParty()
            .runs()
            .restored(
                id(delivery.getHandOver().getId()),
                owner(delivery),
                Duration.ofSeconds(age),
                delivery.getResult(),
                delivery.getProblemsList());
      } else {
        deliver(delivery);
      }
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

  /** Runs the session of a delivery. */
  private void deliver(Delivery delivery) throws FdtException {
    SessionId id = id(delivery.getHandOver().getId());
    if (running.containsKey(id)) {
      return;
    }
    Duration left = Duration.between(Instant.now(), Instant.ofEpochSecond(delivery.getDeadline()));
    RunSession run =
        delivery.getHandOver().getRun().toBuilder()
            .setRetryTimeoutPlusOne(Math.max(0, left.toMillis()) + 1)
            .build();
    SessionRequest own = SessionRequest.of(run.getOwn());
    try {
      Grant grant =
          host.tokens()
              .find(delivery.getOwner(), Instant.ofEpochSecond(delivery.getOwnerCreated()));
      SessionTrees trees = new SessionTrees(host.roots());
      running.put(
          id,
          DirectedRun.start(
              run,
              own,
              trees.work(
                  own,
                  false,
                  host.sessions().descriptors().of(grant, address(delivery)),
                  host.nodes().of(own)),
              host.thirdParty(),
              owner(delivery),
              new DirectedRun.Start(
                  Hello.newBuilder().setToken(delivery.getHandOver().getToken()),
                  Optional.empty(),
                  left.isNegative() ? Duration.ZERO : left),
              new Watch(delivery, own, grant)));
    } catch (FdtException e) {
      if (e.code().retry() == ErrorCode.Retry.LATER && !left.isNegative()) {
        again(delivery);
      } else {
        LOG.warn("not delivered id={} reason={}", id.shortName(), e.getMessage());
        end(
            delivery,
            RunDescription.newBuilder()
                .setId(delivery.getHandOver().getId())
                .setCode(e.code().wireCode())
                .setMessage(e.getMessage())
                .build(),
            List.of());
      }
    }
  }

  private void again(Delivery delivery) {
    if (!thread.isShutdown()) {
      thread.schedule(guarded(() -> deliver(delivery)), PAUSE.toMillis(), TimeUnit.MILLISECONDS);
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
        thread.execute(guarded(() -> afterwards(own.id(), delivery, failure)));
      }
    }
  }

  private void afterwards(SessionId id, Delivery delivery, FdtException failure)
      throws FdtException, InterruptedException {
    running.remove(id);
    boolean isTime = Instant.now().getEpochSecond() < delivery.getDeadline();
    boolean isCancelled = failure != null && failure.code() == ErrorCode.CANCELLED;
    boolean mayPass = failure != null && failure.code().retry() == ErrorCode.Retry.LATER;
    if (mayPass && !isCancelled && isTime) {
      again(delivery);
      return;
    }
    DirectedRuns.Ended record = host.thirdParty().runs().ended(id, owner(delivery)).orElseThrow();
    end(delivery, record.last(), record.problems());
    boolean isWhole = failure == null && record.last().getProgress().getFailures() == 0;
    LOG.info("delivery ended id={} whole={}", id.shortName(), isWhole);
    if (isWhole || isCancelled) {
      spool.get().removeFiles(host.roots(), id);
    }
    hasChanged = true;
  }

  private void end(Delivery delivery, RunDescription last, List<RunEvent> problems)
      throws FdtException {
    spool
        .get()
        .keep(
            id(delivery.getHandOver().getId()),
            delivery.toBuilder()
                .setHandOver(delivery.getHandOver().toBuilder().clearToken())
                .setResult(last)
                .clearProblems()
                .addAllProblems(problems)
                .setEnded(Instant.now().getEpochSecond())
                .build());
  }

  /** Ends copies to a spool that is full. */
  private void watch() {
    List<RunningSession> filling = host.sessions().writingTo(Spool.EXPORT.toString());
    if (filling.isEmpty()) {
      hasChanged = true;
      return;
    }
    if (hasChanged) { // measured once, when the first one begins
      measuredBytes = spool.get().bytes();
      hasChanged = false;
    }
    long coming = filling.stream().mapToLong(session -> session.progress().bytesDone()).sum();
    if (measuredBytes + coming > spool.get().size().bytes()) {
      FdtException full = full();
      filling.forEach(session -> session.abort(full));
    }
  }

  /** Forgets old results, and what nobody completes or could deliver. */
  private void clean() throws FdtException, InterruptedException {
    Instant longAgo = Instant.now().minus(KEPT_FOR);
    for (Delivery delivery : spool.get().deliveries()) {
      if (delivery.hasResult() && delivery.getEnded() < longAgo.getEpochSecond()) {
        SessionId id = id(delivery.getHandOver().getId());
        spool.get().removeFiles(host.roots(), id);
        spool.get().forget(id);
      }
    }
    List<ByteString> known =
        spool.get().deliveries().stream().map(one -> one.getHandOver().getId()).toList();
    for (SessionId id : spool.get().untouchedSince(longAgo)) {
      if (!known.contains(ByteString.copyFrom(id.bytes()))) {
        spool.get().removeFiles(host.roots(), id);
      }
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
