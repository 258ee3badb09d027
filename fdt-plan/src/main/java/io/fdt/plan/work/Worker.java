package io.fdt.plan.work;

import io.fdt.client.Transfer;
import io.fdt.client.TransferListener;
import io.fdt.client.TransferReport;
import io.fdt.client.TransferRequest;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.unit.Backoff;
import io.fdt.plan.Claims;
import io.fdt.plan.Heartbeat;
import io.fdt.plan.Plan;
import io.fdt.plan.PlanFiles;
import io.fdt.plan.UnitEnding;
import io.fdt.plan.UnitLog;
import io.fdt.plan.UnitState;
import io.fdt.plan.Units;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * Claims and copies units of a plan until nothing is left.
 *
 * <pre>
 *   a unit of its share or of others is free -> claim, copy, record the ending -> again
 *   none, and all units have ended           -> the last step, by one worker  -> the end
 *   none, and others still work              -> wait: they may fail
 *   the server is busy                       -> keep the unit and wait: it serves other workers
 *   three sessions in a row are lost         -> claim no more, end what runs, fail
 * </pre>
 *
 * <p>{@link #run} is for one thread; {@link #stop} for any.
 */
public final class Worker {
  /** The first pause of a waiting worker between searches; doubled each time. */
  private static final Duration FIRST_PAUSE = Duration.ofMillis(50);

  /** The longest pause; each search lists all state directories. */
  private static final Duration LAST_PAUSE = Duration.ofSeconds(5);

  /**
   * The ratio of a pause to the duration of the search before it. A search reads two files for each
   * running unit, so thousands of waiting workers could overload a file server.
   */
  private static final int PAUSE_OF_LOOK = 20;

  /** Consecutive failed sessions after which this worker gives up. */
  private static final int MAX_LOST = 3;

  private final Plan plan;
  private final WorkerOptions options;
  private final Transfers transfers;
  private final EventFormat format;
  private final WorkerListener listener;
  private final String name = Heartbeat.newName();
  private final List<Attempt> running = new ArrayList<>();

  /** Holds a permit for each ended attempt, and for {@link #stop}. */
  private final Semaphore news = new Semaphore(0);

  private volatile boolean stopped;

  /** Whether the worker claims no more units and starts no more transfers. */
  private boolean isEnding;

  private int lost;

  /** An attempt at a unit. Confined to the worker's thread. */
  private static final class Attempt {
    final WorkSearch.Found found;
    final TransferRequest request;
    final TransferListener files;
    final UnitLog log;
    final Patience patience = new Patience(System.nanoTime(), ThreadLocalRandom.current());
    Transfer transfer;

    /** The time of the next try while the server is busy. */
    long dueNanos;

    boolean isWaiting;

    Attempt(WorkSearch.Found found, TransferRequest request, TransferListener files, UnitLog log) {
      this.found = found;
      this.request = request;
      this.files = files;
      this.log = log;
    }

    boolean hasEnded() {
      return transfer.completion().isDone();
    }
  }

  /**
   * A worker that is not running yet.
   *
   * @param transfers starts the transfers
   * @param format of the logs
   */
  public Worker(
      Plan plan,
      WorkerOptions options,
      Transfers transfers,
      EventFormat format,
      WorkerListener listener) {
    this.plan = plan;
    this.options = options;
    this.transfers = transfers;
    this.format = format;
    this.listener = listener;
  }

  public enum Result {
    /** Every unit and the last step have ended. */
    ALL_ENDED,
    /** Nothing is left to claim; others still work. */
    NOTHING_LEFT,
    /** The worker was stopped. */
    STOPPED
  }

  /**
   * Works until the end.
   *
   * @throws FdtException the plan cannot be read or written, or the last transfers all failed
   */
  public Result run() throws FdtException, InterruptedException {
    WorkSearch search = new WorkSearch(plan, name, options, listener);
    Heartbeat heartbeat =
        Heartbeat.start(plan.files(), name, options.index(), plan.header().heartbeat());
    try {
      return work(search);
    } catch (InterruptedException e) {
      stopped = true;
      throw e;
    } finally {
      try {
        endAll(search.claims());
      } finally {
        heartbeat.close();
      }
    }
  }

  /** Stops the worker: cancels transfers and returns their units. Any thread. */
  public void stop() {
    stopped = true;
    news.release();
  }

  private Result work(WorkSearch search) throws FdtException, InterruptedException {
    boolean saidWaiting = false;
    Backoff pauses = new Backoff(FIRST_PAUSE, LAST_PAUSE);
    while (!stopped) {
      endFinished(search.claims());
      startDue(System.nanoTime());
      long lookedNanos = System.nanoTime();
      Optional<WorkSearch.Found> found =
          running.size() < options.parallel()
              ? search.next(lookedNanos, running.isEmpty())
              : Optional.empty();
      if (found.isPresent()) {
        start(found.get(), search.claims());
        pauses.reset();
        continue;
      }
      if (running.isEmpty() && search.isOver()) {
        return Result.ALL_ENDED;
      }
      if (running.isEmpty() && !options.waits() && search.isIdle()) {
        return Result.NOTHING_LEFT;
      }
      if (running.isEmpty() && !saidWaiting) {
        saidWaiting = true;
        listener.waiting();
      }
      long waitNanos = untilDue(pauseAfter(pauses.nextNanos(), System.nanoTime() - lookedNanos));
      boolean unused = news.tryAcquire(waitNanos, TimeUnit.NANOSECONDS);
    }
    return Result.STOPPED;
  }

  /** The pause after a search without a result. */
  public static long pauseAfter(long pauseNanos, long lookNanos) {
    return Math.max(pauseNanos, PAUSE_OF_LOOK * lookNanos);
  }

  private void start(WorkSearch.Found found, Claims claims) throws FdtException {
    UnitLog log;
    try {
      log = UnitLog.create(plan.files().log(found.unit(), found.attempt()));
    } catch (FdtException e) {
      giveBackAfter(e, found, claims);
      throw e;
    }
    TransferRequest request;
    try {
      request =
          found.isLastStep()
              ? Units.lastStep(plan.header(), !found.isPartial())
              : plan.transfer(numberOf(found.unit()));
    } catch (FdtException e) {
      // Other units are not affected.
      log.end(format.failure(e));
      claims.end(found.unit(), found.attempt(), UnitEnding.FAILED);
      listener.unusable(found.unit(), found.attempt(), e);
      return;
    }
    listener.started(found.unit(), found.attempt());
    Attempt attempt = new Attempt(found, request, format.files(log::add), log);
    start(attempt);
    running.add(attempt);
  }

  private void start(Attempt attempt) {
    attempt.isWaiting = false;
    attempt.transfer = transfers.start(attempt.request, attempt.files);
    attempt.transfer.completion().whenComplete((report, defect) -> news.release());
  }

  /** Restarts attempts that waited for a busy server. */
  private void startDue(long nowNanos) {
    for (Attempt attempt : running) {
      if (attempt.isWaiting && nowNanos - attempt.dueNanos >= 0) {
        start(attempt);
      }
    }
  }

  private long untilDue(long pauseNanos) {
    long now = System.nanoTime();
    return running.stream()
        .filter(attempt -> attempt.isWaiting)
        .mapToLong(attempt -> Math.max(0, attempt.dueNanos - now))
        .reduce(pauseNanos, Math::min);
  }

  private static void giveBackAfter(FdtException reason, WorkSearch.Found found, Claims claims) {
    try {
      claims.end(found.unit(), found.attempt(), UnitEnding.RELEASED);
    } catch (FdtException e) {
      reason.addSuppressed(e); // it is taken over
    }
  }

  private void endFinished(Claims claims) throws FdtException {
    for (Attempt attempt : List.copyOf(running)) {
      if (attempt.hasEnded() && !keepsWaiting(attempt)) {
        running.remove(attempt);
        end(attempt, claims);
      }
    }
  }

  /** Whether an attempt refused by a busy server is repeated later. */
  private boolean keepsWaiting(Attempt attempt) {
    if (attempt.isWaiting || stopped || isEnding) {
      return attempt.isWaiting && !stopped && !isEnding;
    }
    TransferReport report = attempt.transfer.completion().join();
    long now = System.nanoTime();
    if (!report.failure().equals(Optional.of(ErrorCode.BUSY)) || attempt.patience.isOver(now)) {
      return false;
    }
    attempt.isWaiting = true;
    attempt.dueNanos = now + attempt.patience.takePauseNanos();
    listener.busy(attempt.found.unit(), report.failureMessage());
    return true;
  }

  private void end(Attempt attempt, Claims claims) throws FdtException {
    TransferReport report = attempt.transfer.completion().join();
    WorkSearch.Found found = attempt.found;
    attempt.log.end(format.summary(report, report.exitStatus()));
    UnitEnding ending = endingOf(found, report);
    claims.end(found.unit(), found.attempt(), ending);
    listener.ended(found.unit(), found.attempt(), report);
    completeAfterRange(found, report, claims);
    if (ending != UnitEnding.RELEASED) {
      lost = 0;
      return;
    }
    lost++;
    ErrorCode code = report.failure().orElseThrow();
    if (!stopped && (lost >= MAX_LOST || code.retry() == ErrorCode.Retry.NO)) {
      throw new FdtException(code, report.failureMessage());
    }
  }

  /**
   * Copies the whole file again if a range was written after it got its name, for example by a
   * suspended worker: otherwise no worker completes the partial file.
   */
  private void completeAfterRange(WorkSearch.Found range, TransferReport report, Claims claims)
      throws FdtException {
    int whole = range.isLastStep() ? -1 : plan.wholeOf(numberOf(range.unit()));
    if (whole < 0 || stopped || isEnding || report.figures().files().unchanged() > 0) {
      return;
    }
    String unit = PlanFiles.name(whole);
    UnitState state = claims.list(unit).getOrDefault(unit, UnitState.NONE);
    if (state.isDone() && claims.claim(unit, state.attempt() + 1)) {
      start(new WorkSearch.Found(unit, state.attempt() + 1, false), claims);
    }
  }

  private static int numberOf(String unit) {
    return Integer.parseInt(unit);
  }

  private static UnitEnding endingOf(WorkSearch.Found found, TransferReport report) {
    if (report.failure().filter(Worker::isOfWorker).isPresent()) {
      return UnitEnding.RELEASED;
    }
    if (report.exitStatus() != 0) {
      return UnitEnding.FAILED;
    }
    return found.isPartial() ? UnitEnding.PARTIAL : UnitEnding.OK;
  }

  /** Whether another worker may succeed, because this one cannot reach a server or lacks rights. */
  private static boolean isOfWorker(ErrorCode failure) {
    int status = failure.exitStatus();
    return failure == ErrorCode.CANCELLED || status == 3 || status == 4;
  }

  /**
   * Ends running attempts: cancelled after a stop, so that others can claim them at once; otherwise
   * they run to their end.
   */
  private void endAll(Claims claims) throws FdtException {
    isEnding = true;
    boolean isCancelled = false;
    FdtException failure = null;
    while (!running.isEmpty()) {
      if (stopped && !isCancelled) {
        isCancelled = true;
        running.forEach(attempt -> attempt.transfer.cancel());
      }
      for (Attempt attempt : List.copyOf(running)) {
        if (attempt.hasEnded()) {
          running.remove(attempt);
          failure = endAfter(failure, attempt, claims);
        }
      }
      if (!running.isEmpty()) {
        news.acquireUninterruptibly();
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  private FdtException endAfter(FdtException failure, Attempt attempt, Claims claims) {
    try {
      end(attempt, claims);
    } catch (FdtException e) {
      if (failure == null) {
        return e;
      }
      failure.addSuppressed(e);
    }
    return failure;
  }
}
