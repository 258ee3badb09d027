package io.fdt.service.run;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.service.store.StoreException;
import io.fdt.service.store.TaskStore;
import io.fdt.service.task.Intent;
import io.fdt.service.task.Outcome;
import io.fdt.service.task.Scheduler;
import io.fdt.service.task.Task;
import io.fdt.service.task.TaskKind;
import io.fdt.service.value.ServiceException;
import java.time.Clock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
 * Starts waiting tasks when there is room, and ends those that are to end. One thread decides; each
 * running task has a thread of its own, which waits for servers most of the time. Any thread.
 */
public final class Dispatcher implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Dispatcher.class);

  /** Tasks that run at once. Memory: two connections and about 1 MiB of stack each. */
  private static final int MOST_RUNNING = 64;

  private static final int MOST_PER_USER = 16;
  private static final long TICK_MILLIS = 1000;
  private static final long CLOSE_SECONDS = 10;

  private final TaskStore store;
  private final Endpoints endpoints;
  private final Live live;
  private final Clock clock;
  private final Scheduler scheduler = new Scheduler(MOST_RUNNING, MOST_PER_USER);
  private final Map<String, Running> running = new ConcurrentHashMap<>();
  private final ScheduledExecutorService decider;
  private final ExecutorService workers;
  private final AtomicBoolean woken = new AtomicBoolean();
  private volatile boolean closing;

  private record Running(Scheduler.Candidate candidate, Stop stop) {}

  public Dispatcher(TaskStore store, Endpoints endpoints, Live live, Clock clock) {
    this.store = store;
    this.endpoints = endpoints;
    this.live = live;
    this.clock = clock;
    this.decider = Executors.newSingleThreadScheduledExecutor(named("fdt-service-dispatch"));
    this.workers = Executors.newCachedThreadPool(named("fdt-service-task"));
  }

  private static ThreadFactory named(String name) {
    return task -> {
      Thread thread = new Thread(task, name);
      thread.setDaemon(true);
      return thread;
    };
  }

  /** Continues what an earlier process of the service has left running, and begins to decide. */
  public void start() {
    for (Task task : store.active()) {
      start(task, true);
    }
    decider.scheduleWithFixedDelay(this::decide, 0, TICK_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** Has the next decision made now: a task was submitted, or has changed. */
  public void wake() {
    if (!woken.compareAndSet(false, true)) {
      return; // that decision sees this task, too
    }
    try {
      decider.execute(
          () -> {
            woken.set(false);
            decide();
          });
    } catch (RejectedExecutionException e) {
      LOG.debug("closing");
    }
  }

  /** Tells a running task what its user wants. */
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

  private void decide() {
    if (closing) {
      return;
    }
    try {
      long now = clock.millis();
      store.expire(now).forEach(live::changed);
      if (!running.isEmpty()) {
        store.active().forEach(this::obey);
      }
      List<Scheduler.Candidate> waiting = store.waiting(now, MOST_PER_USER);
      waiting.removeIf(task -> running.containsKey(task.id()));
      if (waiting.isEmpty()) {
        return;
      }
      Map<String, Integer> limits = new HashMap<>();
      List<Scheduler.Candidate> chosen =
          scheduler.choose(
              waiting,
              running.values().stream().map(Running::candidate).toList(),
              id -> limits.computeIfAbsent(id, endpoints::mostTasks));
      for (Scheduler.Candidate next : chosen) {
        Optional<Task> begun = store.begin(next.id(), clock.millis());
        begun.ifPresent(task -> start(task, false));
      }
    } catch (StoreException e) {
      LOG.warn("no task can start now: {}", e.getMessage());
    } catch (RuntimeException e) { // an exception would end the ticks
      LOG.error("a defect in the scheduling of tasks", e);
    }
  }

  private void start(Task task, boolean isRecovered) {
    Stop stop = new Stop();
    running.put(
        task.id(),
        new Running(
            new Scheduler.Candidate(
                task.id(),
                task.owner(),
                task.wish().priority(),
                task.created(),
                task.work().source(),
                task.work().destination()),
            stop));
    LOG.info("task={} state=ACTIVE attempt={}", task.id(), task.run().attempts());
    live.changed(task);
    obey(task);
    workers.execute(() -> run(task, isRecovered, stop));
  }

  private void run(Task task, boolean isRecovered, Stop stop) {
    TaskReport report = new TaskReport(task, store, live, clock);
    Attempt attempt =
        task.work().kind() == TaskKind.DELETE
            ? new DeleteAttempt(task, isRecovered, endpoints, stop, report)
            : new TransferAttempt(task, isRecovered, endpoints, store, stop, report, clock);
    Outcome outcome = outcome(attempt, report, stop);
    boolean unused = Thread.interrupted(); // a stop that came too late
    if (outcome == null) {
      running.remove(task.id());
      return; // it stays ACTIVE: the next process of the service finds it
    }
    finish(task, outcome, report);
  }

  /** What came of an attempt; null when the service stops. */
  private Outcome outcome(Attempt attempt, TaskReport report, Stop stop) {
    Outcome outcome;
    try {
      outcome = attempt.run();
    } catch (InterruptedException e) {
      if (stop.isFor(Stop.Reason.SERVICE) || closing) {
        return null;
      }
      outcome = new Outcome(Outcome.End.STOPPED, report.counts(), "", false);
    } catch (FdtException e) {
      if (closing) {
        return null;
      }
      outcome = failed(e, report, stop);
    } catch (ServiceException e) {
      outcome = new Outcome(Outcome.End.FAILED, report.counts(), e.getMessage(), false);
    } catch (StoreException e) {
      if (closing) {
        return null;
      }
      // The next attempt looks for what this one has started.
      outcome = new Outcome(Outcome.End.FAULT, report.counts(), e.getMessage(), true);
    } catch (RuntimeException e) {
      if (closing) {
        return null;
      }
      LOG.error("a defect in a task", e);
      outcome = new Outcome(Outcome.End.FAULT, report.counts(), "unexpected " + e, true);
    }
    return stop.isFor(Stop.Reason.DEADLINE) && outcome.end() != Outcome.End.SUCCEEDED
        ? new Outcome(
            Outcome.End.FAILED, outcome.counts(), "the deadline passed while it ran", false)
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
        e.getMessage(),
        mayRun);
  }

  /** Stores the end of an attempt, however long the database is away. */
  private void finish(Task task, Outcome outcome, TaskReport report) {
    while (!closing) {
      try {
        report.flush();
        Task ended = store.finish(task.id(), outcome, clock.millis());
        live.stopped(task.id());
        running.remove(task.id());
        LOG.info("task={} state={} {}", task.id(), ended.state(), ended.run().message());
        live.changed(ended);
        wake();
        return;
      } catch (StoreException e) {
        LOG.warn("task={} its end cannot be stored yet: {}", task.id(), e.getMessage());
        try {
          TimeUnit.MILLISECONDS.sleep(TICK_MILLIS);
        } catch (InterruptedException interrupted) {
          Thread.currentThread().interrupt();
          break;
        }
      } catch (ServiceException e) {
        LOG.error("task={} is gone", task.id(), e);
        break;
      }
    }
    running.remove(task.id());
  }

  /** How many tasks run. */
  public int running() {
    return running.size();
  }

  /** Leaves transfers to the servers, and waits for its threads for at most 10 s. Idempotent. */
  @Override
  public void close() {
    closing = true;
    decider.shutdownNow();
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
