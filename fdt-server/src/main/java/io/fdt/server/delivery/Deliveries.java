package io.fdt.server.delivery;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Grant;
import io.fdt.core.security.DialRule;
import io.fdt.core.storage.ExportedStorage;
import io.fdt.core.wire.SessionId;
import io.fdt.core.wire.control.Delivery;
import io.fdt.core.wire.control.HandOver;
import io.fdt.core.wire.control.HandOverPlace;
import io.fdt.core.wire.control.RunDescription;
import io.fdt.core.wire.control.RunEvent;
import io.fdt.server.session.AcceptedEvents;
import io.fdt.server.session.SessionRequest;
import io.fdt.server.spool.Spool;
import io.fdt.server.spool.SpoolDigests;
import io.fdt.server.spool.SpoolLimit;
import io.fdt.server.spool.SpoolQuota;
import io.fdt.server.thirdparty.DirectedRuns;
import io.fdt.server.thirdparty.ThirdParty;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
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
 * Delivers files that clients have left with this relay to other servers. A delivery is a session
 * that this server dials and retries until its deadline; it survives a restart.
 *
 * <pre>
 *   place wanted --> FILLING (the client copies) --> STORED --> session --> DONE, for a day
 *                                                      ^------- away --'--> FAILED, for a day
 * </pre>
 *
 * <p>{@link #handOver} is for any thread that may block; all else happens on one thread.
 */
public final class Deliveries implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Deliveries.class);

  /** Time after which an incomplete copy is removed. */
  private static final Duration UNFINISHED_KEPT_FOR = Duration.ofDays(7);

  /** Pause before a record is stored again after a failure. */
  private static final long STORE_AGAIN_MILLIS = 1000;

  private static final long LOOK_MILLIS = 500;
  private static final long SIGN_MILLIS = 1000;
  private static final long CLEAN_MILLIS = TimeUnit.HOURS.toMillis(1);

  private final Spool spool;
  private final SpoolQuota quota;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          work -> {
            Thread made = new Thread(work, "fdt-server-deliveries");
            made.setDaemon(true);
            return made;
          });

  /** Confined to the thread. */
  private final DeliveryLine line = new DeliveryLine();

  /** Deliveries that have not ended. */
  private final Map<SessionId, DeliveryRun> live = new ConcurrentHashMap<>();

  /** Sessions of attempts; clients do not see them. */
  private final DirectedRuns attempts = new DirectedRuns(System::nanoTime);

  private final SpoolDigests digests;
  private DeliveryBook book;
  private SpoolLimit limit;
  private DeliveryDesk desk;
  private DeliveryAttempt attempt;
  private DeliveryContext context;
  private ThirdParty thirdParty;
  private Closeable lock = () -> {};

  public Deliveries(Spool spool) {
    this.spool = spool;
    this.quota = new SpoolQuota(spool.size());
    this.digests = new SpoolDigests(spool, place -> later(() -> writeDigests(place), 0));
  }

  private void writeDigests(SessionId place) throws FdtException {
    digests.write(place);
  }

  /** Takes the digests of files that a session stores in the spool. Any thread. */
  public AcceptedEvents.Digests digestsOf(SessionRequest wanted) {
    boolean isWhole = !wanted.isPull() && wanted.spec().part().isWhole();
    Optional<SessionId> place =
        isWhole && wanted.spec().digestMethod().isOfChunks()
            ? Spool.placeIn(wanted.spec().destination())
            : Optional.empty();
    return place.isEmpty()
        ? (size, digest) -> {}
        : (size, digest) -> {
          if (digest.length > 0) {
            digests.add(place.get(), size, digest);
          }
        };
  }

  /** Usage of the spool. Any thread. */
  public SpoolQuota quota() {
    return quota;
  }

  /** Deliveries that have not ended. Any thread. */
  public int waiting() {
    return book.waiting();
  }

  /**
   * Opens the spool. Once, first.
   *
   * @throws FdtException another server uses it, or it cannot be created
   */
  public void open() throws FdtException {
    lock = spool.open();
  }

  /**
   * Reads the stored records. Once, before clients connect.
   *
   * @param rule allowed addresses of deliveries
   * @throws FdtException the spool cannot be read
   */
  public void load(DeliveryContext ofServer, DialRule rule) throws FdtException {
    context = ofServer;
    thirdParty = ofServer.thirdParty().with(rule, attempts);
    book = new DeliveryBook(spool);
    book.load();
    limit =
        new SpoolLimit(
            spool,
            quota,
            () -> context.sessions().writingTo(Spool.EXPORT.toString()),
            this::discard);
    attempt =
        new DeliveryAttempt(
            context,
            thirdParty,
            digests,
            (delivery, failure) -> later(() -> afterwards(delivery, failure), 0));
    desk =
        new DeliveryDesk(
            spool, digests, book, limit, context, thirdParty, this::stored, this::discard);
  }

  /** Exports as a client sees them: in the spool, only its own files. Any thread. */
  public ExportedStorage confined(ExportedStorage roots, Grant grant) {
    return roots.without(
        Spool.EXPORT,
        DeliveryDesk.mayHandOver(grant) ? Optional.of(Spool.prefix(grant)) : Optional.empty());
  }

  /**
   * Handles a client that requests a place for files, or reports that all are stored. Any thread
   * that may block.
   *
   * @throws FdtException FORBIDDEN; PROTOCOL; BUSY; STORAGE_FULL when the spool is full
   */
  public HandOverPlace handOver(HandOver request, Grant grant, InetAddress client)
      throws FdtException {
    return desk.handOver(request, grant, client);
  }

  /** Resumes the stored deliveries. Once. */
  public void start() {
    thread.execute(guarded(this::resume));
    thread.scheduleWithFixedDelay(guarded(limit::watch), 0, LOOK_MILLIS, TimeUnit.MILLISECONDS);
    thread.scheduleWithFixedDelay(
        guarded(() -> live.values().forEach(DeliveryRun::sign)),
        SIGN_MILLIS,
        SIGN_MILLIS,
        TimeUnit.MILLISECONDS);
    thread.scheduleWithFixedDelay(guarded(this::clean), 0, CLEAN_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** Work on the thread; a failure is logged and does not stop other work. */
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

  private void resume() {
    for (Delivery delivery : book.all()) {
      if (delivery.hasResult()) {
        restore(delivery);
      } else {
        enlist(delivery);
        line.add(StoredDelivery.place(delivery));
      }
    }
    deliverNext();
  }

  /** Restores a result, so that clients can ask for it. */
  private void restore(Delivery ended) {
    context
        .thirdParty()
        .runs()
        .restored(
            StoredDelivery.session(ended),
            StoredDelivery.owner(ended),
            Duration.ofSeconds(Math.max(0, Instant.now().getEpochSecond() - ended.getEnded())),
            ended.getResult(),
            ended.getProblemsList());
  }

  /** Takes over a complete request. Any thread. */
  private void stored(Delivery delivery) {
    limit.changed(StoredDelivery.place(delivery));
    enlist(delivery);
    later(() -> queue(StoredDelivery.place(delivery)), 0);
  }

  /** Allows clients to follow a delivery. */
  private void enlist(Delivery delivery) {
    SessionId place = StoredDelivery.place(delivery);
    DirectedRuns runs = context.thirdParty().runs();
    DeliveryRun run =
        new DeliveryRun(
            delivery,
            runs,
            StoredDelivery.description(delivery, context).build(),
            () -> later(() -> cancelled(place), 0));
    live.put(place, run);
    try {
      runs.began(run);
    } catch (FdtException e) { // its client runs a session of its own with that id
      LOG.warn(
          "a delivery cannot be followed id={} reason={}", run.id().shortName(), e.getMessage());
    }
  }

  /** Ends a cancelled delivery that waits for its turn. */
  private void cancelled(SessionId place) {
    DeliveryRun run = live.get(place);
    Delivery delivery = book.get(place);
    if (run != null && delivery != null && !line.hasTurn(place)) {
      run.cancellation()
          .ifPresent(
              why -> end(delivery, StoredDelivery.failed(delivery, why, context), List.of(), true));
    }
  }

  private void queue(SessionId place) {
    line.add(place);
    deliverNext();
  }

  private void queueLater(Delivery delivery, FdtException why) {
    SessionId place = StoredDelivery.place(delivery);
    line.end(place);
    DeliveryRun run = live.get(place);
    int failed = run.waits(why);
    Duration pause = DeliveryLine.pause(failed);
    LOG.info(
        "delivery fails for now id={} attempt={} next={}s reason={}",
        StoredDelivery.session(delivery).shortName(),
        failed,
        pause.toSeconds(),
        why.getMessage());
    later(() -> queue(place), pause.toMillis());
    cancelled(place);
  }

  private void later(Work work, long millis) {
    if (!thread.isShutdown()) {
      thread.schedule(guarded(work), millis, TimeUnit.MILLISECONDS);
    }
  }

  private void deliverNext() {
    Optional<SessionId> next = line.next();
    while (next.isPresent()) {
      Delivery delivery = book.get(next.get());
      if (delivery != null && !delivery.hasResult()) {
        deliver(delivery);
      }
      next = line.next();
    }
  }

  /** Runs the session of a delivery. */
  private void deliver(Delivery delivery) {
    SessionId place = StoredDelivery.place(delivery);
    line.begin(place);
    try {
      attempt.start(delivery, live.get(place));
    } catch (FdtException e) {
      refused(delivery, e);
    } catch (RuntimeException | Error e) {
      LOG.error("defect of a delivery id={}", StoredDelivery.session(delivery).shortName(), e);
      refused(delivery, FdtException.unforeseen("the relay failed", e));
    }
  }

  /** Handles a session that did not begin. */
  private void refused(Delivery delivery, FdtException cause) {
    if (StoredDelivery.mayPass(cause) && !StoredDelivery.left(delivery).isZero()) {
      queueLater(delivery, cause);
      return;
    }
    LOG.warn(
        "not delivered id={} reason={}",
        StoredDelivery.session(delivery).shortName(),
        cause.getMessage());
    end(delivery, StoredDelivery.failed(delivery, cause, context), List.of(), false);
  }

  private void afterwards(Delivery delivery, FdtException failure) {
    boolean isCancelled = live.get(StoredDelivery.place(delivery)).cancellation().isPresent();
    if (failure != null
        && !isCancelled // by its owner; what the other server says is one more failure
        && StoredDelivery.mayPass(failure)
        && !StoredDelivery.left(delivery).isZero()) {
      queueLater(delivery, failure);
      deliverNext();
      return;
    }
    Optional<DirectedRuns.Ended> record =
        attempts.ended(StoredDelivery.session(delivery), StoredDelivery.owner(delivery));
    RunDescription last =
        record
            .map(DirectedRuns.Ended::last)
            .orElseGet(
                () ->
                    StoredDelivery.failed(
                        delivery,
                        failure != null
                            ? failure
                            : new FdtException(ErrorCode.INTERNAL, "the result was lost"),
                        context));
    boolean isWhole = failure == null && last.getProgress().getFailures() == 0;
    LOG.info(
        "delivery ended id={} whole={}", StoredDelivery.session(delivery).shortName(), isWhole);
    end(
        delivery,
        last,
        record.map(DirectedRuns.Ended::problems).orElse(List.of()),
        isWhole || isCancelled);
  }

  /**
   * Stores the result of a delivery, with retries until that succeeds.
   *
   * @param discards whether its files are removed
   */
  private void end(
      Delivery delivery, RunDescription last, List<RunEvent> problems, boolean discards) {
    SessionId place = StoredDelivery.place(delivery);
    line.begin(place); // no attempt until it is stored
    Delivery done =
        delivery.toBuilder()
            .setHandOver(delivery.getHandOver().toBuilder().clearToken())
            .setResult(last)
            .clearProblems()
            .addAllProblems(problems)
            .setEnded(Instant.now().getEpochSecond())
            .build();
    try {
      book.end(done, discards);
    } catch (FdtException e) {
      LOG.warn("the end of a delivery cannot be stored reason={}", e.getMessage());
      later(() -> end(delivery, last, problems, discards), STORE_AGAIN_MILLIS);
      return;
    }
    line.end(place);
    live.remove(place).ends(last, problems);
    later(() -> spool.emptyTrash(context.roots()), 0);
    deliverNext();
  }

  /** Removes a copy that exceeds a limit. */
  private void discard(SessionId place) {
    book.drop(place);
    later(() -> spool.emptyTrash(context.roots()), 0);
  }

  /** Removes old results and incomplete requests. */
  private void clean() throws FdtException, InterruptedException {
    Instant resultsBefore = Instant.now().minus(DirectedRuns.KEPT_FOR);
    List<SessionId> old = spool.untouchedSince(Instant.now().minus(UNFINISHED_KEPT_FOR));
    List<SessionId> written =
        context.sessions().writingTo(Spool.EXPORT.toString()).stream()
            .flatMap(one -> Spool.placeIn(one.destination()).stream())
            .toList();
    List<SessionId> unfinished = old.stream().filter(place -> !written.contains(place)).toList();
    book.sweep(resultsBefore, unfinished);
    digests.sweep();
    spool.emptyTrash(context.roots());
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }

  /** Unlocks the spool for another server. Last. */
  public void unlock() {
    try {
      lock.close();
    } catch (IOException e) {
      LOG.warn("the spool stays locked reason={}", e.getMessage());
    }
  }
}
