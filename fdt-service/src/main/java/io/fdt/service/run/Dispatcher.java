package io.fdt.service.run;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.service.store.ClaimStore;
import io.fdt.service.store.LostTaskException;
import io.fdt.service.store.StoreException;
import io.fdt.service.store.TaskStore;
import io.fdt.service.task.Intent;
import io.fdt.service.task.Outcome;
import io.fdt.service.task.Scheduler;
import io.fdt.service.task.Task;
import io.fdt.service.task.TaskKind;
import io.fdt.service.value.ServiceException;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts waiting tasks within the limits, and ends tasks on request. One thread decides; each
 * running task has its own thread, which mostly waits for servers. Any thread.
 */
public final class Dispatcher implements AutoCloseable {
  /** Paths in a line of the log; "..." stands for more. */
  private static final int MOST_PATHS = 8;

  private static final Logger LOG = LoggerFactory.getLogger(Dispatcher.class);

  /**
   * The most tasks that run at once in this process. Memory: two connections and about 1 MiB of
   * stack each.
   */
  private static final int MOST_RUNNING = 64;

  private static final int MOST_PER_USER = 16;
  private static final long TICK_MILLIS = 1000;

  /** Renewals per lease: two may be lost before the lease ends. */
  private static final long RENEWALS_PER_LEASE = 4;

  private static final long CLOSE_SECONDS = 10;

  /** The longest pause before an awaited decision. */
  private static final long MOST_PAUSE_NANOS = 200_000_000;

  private final TaskStore store;
  private final ClaimStore claims;
  private final Endpoints endpoints;
  private final LinkPaces links;
  private final Totals totals;
  private final Live live;
  private final Clock clock;
  private final Map<String, Running> running = new ConcurrentHashMap<>();
  private final ScheduledExecutorService decider;
  private final ExecutorService workers;
  private final AtomicBoolean woken = new AtomicBoolean();
  private final ScheduledExecutorService renewer;
  private final ScheduledExecutorService watcher;
  private final Duration lease;
  private volatile long renewedNanos = System.nanoTime();
  private volatile boolean closing;

  /** The duration of the last decision. */
  private volatile long decisionNanos;

  private record Running(Stop stop, long epoch, long sinceNanos) {
    boolean isOlderThan(long nanos) {
      return sinceNanos - nanos < 0;
    }
  }

  /**
   * The dispatcher of one process.
   *
   * @param lease how long a task stays assigned to a silent process
   */
  public Dispatcher(
      TaskStore store,
      ClaimStore claims,
      Duration lease,
      Endpoints endpoints,
      LinkPaces links,
      Totals totals,
      Live live,
      Clock clock) {
    this.store = store;
    this.claims = claims;
    this.lease = lease;
    this.endpoints = endpoints;
    this.links = links;
    this.totals = totals;
    this.live = live;
    this.clock = clock;
    this.decider = Executors.newSingleThreadScheduledExecutor(named("fdt-service-dispatch"));
    this.renewer = Executors.newSingleThreadScheduledExecutor(named("fdt-service-renew"));
    this.watcher = Executors.newSingleThreadScheduledExecutor(named("fdt-service-watch"));
    this.workers = Executors.newCachedThreadPool(named("fdt-service-task"));
  }

  private static ThreadFactory named(String name) {
    return task -> {
      Thread thread = new Thread(task, name);
      thread.setDaemon(true);
      return thread;
    };
  }

  /** Resumes tasks that an earlier process of the service has left running, and starts deciding. */
  public void start() {
    adopt();
    decider.scheduleWithFixedDelay(this::tick, 0, TICK_MILLIS, TimeUnit.MILLISECONDS);
    renewer.scheduleWithFixedDelay(
        this::renew, TICK_MILLIS, renewalMillis(), TimeUnit.MILLISECONDS);
    watcher.scheduleWithFixedDelay(
        this::watch, renewalMillis(), renewalMillis(), TimeUnit.MILLISECONDS);
  }

  private long renewalMillis() {
    return Math.max(TICK_MILLIS / 4, lease.toMillis() / RENEWALS_PER_LEASE);
  }

  /** Triggers the next decision: a task was submitted or has changed. */
  public void wake() {
    if (!woken.compareAndSet(false, true)) {
      return; // that decision sees this task, too
    }
    try {
      // With many tasks decisions take long: at least half of the time is left for other work.
      decider.schedule(
          () -> {
            woken.set(false);
            long before = System.nanoTime();
            guarded(this::decide);
            decisionNanos = Math.min(MOST_PAUSE_NANOS, System.nanoTime() - before);
          },
          decisionNanos,
          TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      LOG.debug("closing");
    }
  }

  /** Applies the user's request to a running task. */
  public void changed(Task task) {
    live.changed(task);
    obey(task);
    wake();
  }

  private void obey(Task task) {
    Running run = running.get(task.id());
    if (run == null) {
      return;
    }
    if (task.run().intent() != Intent.RUN) {
      run.stop().ask(Stop.Reason.INTENT);
    } else if (task.wish().deadline() <= clock.millis()) {
      run.stop().ask(Stop.Reason.DEADLINE);
    }
  }

  /** Handles, once a second, deadlines and tasks that other processes have left or changed. */
  private void tick() {
    guarded(
        () -> {
          claims.expire(clock.millis()).forEach(live::changed);
          adopt();
          if (!running.isEmpty()) {
            claims.mine().forEach(this::obey);
          }
          decide();
        });
  }

  private void adopt() {
    for (Task task : claims.adopt(Set.copyOf(running.keySet()), clock.millis())) {
      start(task, true);
    }
  }

  /**
   * Renews the leases of this process. After a timely renewal fails, other processes may take the
   * tasks over: this process leaves them before they can run twice.
   */
  private void renew() {
    long before = System.nanoTime();
    guarded(
        () -> {
          if (running.isEmpty()) {
            renewedNanos = before;
            return;
          }
          Map<String, Long> epochs = new HashMap<>();
          claims.renew().forEach(task -> epochs.put(task.id(), task.run().lease().epoch()));
          renewedNanos = before;
          running.forEach(
              (id, run) -> {
                boolean isOurs = Objects.equals(epochs.get(id), run.epoch());
                if (!isOurs && run.isOlderThan(before)) {
                  run.stop().ask(Stop.Reason.LOST);
                }
              });
        });
  }

  /**
   * Checks the leases on a thread that does not use the database, so that it is in time when that
   * hangs.
   */
  private void watch() {
    if (System.nanoTime() - renewedNanos > lease.toNanos()) {
      running.values().forEach(run -> run.stop().ask(Stop.Reason.LOST));
    }
  }

  private void guarded(Runnable work) {
    if (closing) {
      return;
    }
    try {
      work.run();
    } catch (StoreException e) {
      LOG.debug("no task can start now: {}", e.getMessage());
    } catch (RuntimeException e) { // an exception would end the ticks
      LOG.error("defect while tasks are scheduled", e);
    }
  }

  private void decide() {
    if (running.size() >= MOST_RUNNING) {
      return;
    }
    Map<String, Integer> limits = endpoints.mostTasks(); // not within the transaction of the claim
    claims
        .claim(
            clock.millis(),
            MOST_PER_USER,
            (waiting, active) -> {
              waiting.removeIf(task -> running.containsKey(task.id()));
              int elsewhere = Math.max(0, active.size() - running.size());
              links.running(waiting, active);
              return new Scheduler(elsewhere + MOST_RUNNING, MOST_PER_USER)
                  .choose(
                      waiting,
                      active,
                      id -> limits.getOrDefault(id, Integer.MAX_VALUE),
                      links::places);
            })
        .forEach(task -> start(task, false));
  }

  private void start(Task task, boolean isRecovered) {
    Running run = new Running(new Stop(), task.run().lease().epoch(), System.nanoTime());
    Running before = running.put(task.id(), run);
    if (before != null) {
      before.stop().ask(Stop.Reason.LOST); // it has an older epoch: nothing that it writes counts
    }
    if (!isRecovered) {
      totals.began(task);
    }
    LOG.info(
        "attempt started task={} user={} attempt={}",
        task.id(),
        task.owner(),
        task.run().attempts());
    obey(live.started(task, () -> newest(task)));
    workers.execute(() -> run(task, isRecovered, run));
  }

  private Task newest(Task claimed) {
    try {
      return store.get(claimed.owner(), claimed.id());
    } catch (ServiceException | StoreException e) {
      LOG.debug("task={} as it was claimed: {}", claimed.id(), e.getMessage());
      return claimed;
    }
  }

  private void run(Task task, boolean isRecovered, Running run) {
    Stop stop = run.stop();
    try {
      TaskReport report = new TaskReport(task, store, live, links, totals, clock);
      Attempt attempt =
          task.work().kind() == TaskKind.DELETE
              ? new DeleteAttempt(task, isRecovered, endpoints, stop, report)
              : new TransferAttempt(task, isRecovered, endpoints, stop, report, clock);
      Outcome outcome = outcome(attempt, report, stop);
      boolean unused = Thread.interrupted(); // a stop that came too late
      if (outcome != null) {
        finish(task, outcome, report, run);
      }
    } catch (LostTaskException e) {
      LOG.warn("task lost reason={}", e.getMessage());
    } finally {
      // Without an entry here, the task is taken up again.
      leave(task, run);
    }
  }

  /** Removes an attempt, unless the next one of the task runs already. */
  private void leave(Task task, Running run) {
    if (running.remove(task.id(), run)) {
      live.stopped(task.id());
      live.rates().stopped(task.id(), clock.millis());
    }
  }

  /** The outcome of an attempt; null when other processes continue it. */
  private Outcome outcome(Attempt attempt, TaskReport report, Stop stop) {
    Outcome outcome;
    try {
      outcome = attempt.run();
    } catch (InterruptedException e) {
      if (stop.isLeaving() || closing) {
        return null;
      }
      outcome = new Outcome(Outcome.End.STOPPED, report.counts(), "", false);
    } catch (FdtException e) {
      if (stop.isLeaving() || closing) {
        return null;
      }
      outcome = failed(e, report, stop);
    } catch (ServiceException e) {
      outcome = new Outcome(Outcome.End.FAILED, report.counts(), e.getMessage(), false);
    } catch (LostTaskException e) {
      throw e;
    } catch (StoreException e) {
      if (stop.isLeaving() || closing) {
        return null;
      }
      // The next attempt searches for the transfer that this one has started.
      outcome = new Outcome(Outcome.End.FAULT, report.counts(), e.getMessage(), true);
    } catch (RuntimeException e) {
      if (stop.isLeaving() || closing) {
        return null;
      }
      LOG.error("defect in a task", e);
      outcome = new Outcome(Outcome.End.FAULT, report.counts(), "unexpected " + e, true);
    }
    return stop.isFor(Stop.Reason.DEADLINE) && outcome.end() != Outcome.End.SUCCEEDED
        ? new Outcome(Outcome.End.LATE, outcome.counts(), "the deadline passed while it ran", false)
        : outcome;
  }

  private static Outcome failed(FdtException e, TaskReport report, Stop stop) {
    if (stop.isAsked()) {
      return new Outcome(Outcome.End.STOPPED, report.counts(), e.getMessage(), false);
    }
    boolean mayRun =
        e.code() == ErrorCode.UNREACHABLE
            || e.code() == ErrorCode.TIMEOUT
            || e.code() == ErrorCode.BUSY;
    return new Outcome(
        e.code().retry() == ErrorCode.Retry.LATER ? Outcome.End.FAULT : Outcome.End.FAILED,
        report.counts(),
        Endpoints.message(e.code(), e.getMessage()),
        mayRun,
        e.code());
  }

  /** Stores the end of an attempt; retries while the database is unavailable. */
  private void finish(Task task, Outcome outcome, TaskReport report, Running run) {
    while (!closing && !run.stop().isFor(Stop.Reason.LOST)) {
      try {
        report.flush();
        endpoints.lookAgain(task, outcome.cause(), clock.millis());
        Task ended = store.finish(task, outcome, clock.millis());
        leave(task, run);
        report.moved(outcome.counts());
        links.ended(task, outcome);
        totals.ended(ended);
        log(ended, run);
        live.changed(ended);
        wake();
        return;
      } catch (StoreException e) {
        LOG.debug("task={} its end cannot be stored yet: {}", task.id(), e.getMessage());
        try {
          TimeUnit.MILLISECONDS.sleep(TICK_MILLIS);
        } catch (InterruptedException interrupted) {
          Thread.currentThread().interrupt();
          return;
        }
      }
    }
  }

  private static void log(Task ended, Running run) {
    Task.Work work = ended.work();
    List<String> paths = work.paths();
    LOG.info(
        "attempt ended task={} user={} kind={} source={} destination={} paths={} files={} failed={}"
            + " deleted={} bytes={} seconds={} result={} reason={}",
        ended.id(),
        ended.owner(),
        work.kind().name().toLowerCase(Locale.ROOT),
        work.sourceName(),
        work.destinationName(),
        String.join(",", paths.subList(0, Math.min(MOST_PATHS, paths.size())))
            + (paths.size() > MOST_PATHS ? ",..." : ""),
        ended.counts().filesDone(),
        ended.counts().filesFailed(),
        ended.counts().filesDeleted(),
        ended.counts().bytesDone(),
        String.format(Locale.US, "%.3f", (System.nanoTime() - run.sinceNanos()) / 1e9),
        ended.state().name().toLowerCase(Locale.ROOT),
        ended.run().message());
  }

  /** The number of running tasks. */
  public int running() {
    return running.size();
  }

  /** Leaves transfers to the servers, and waits for its threads for at most 10 s. Idempotent. */
  @Override
  public void close() {
    closing = true;
    decider.shutdownNow();
    renewer.shutdownNow();
    watcher.shutdownNow();
    running.values().forEach(run -> run.stop().ask(Stop.Reason.SERVICE));
    workers.shutdown();
    try {
      if (!workers.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
        LOG.warn("tasks that do not end in time are left as they are");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
