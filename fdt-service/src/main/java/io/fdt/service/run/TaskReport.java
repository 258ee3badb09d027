package io.fdt.service.run;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.Setting;
import io.fdt.core.model.PathText;
import io.fdt.service.store.StoreException;
import io.fdt.service.store.TaskStore;
import io.fdt.service.task.Counts;
import io.fdt.service.task.Task;
import io.fdt.service.task.TaskEvent;
import io.fdt.service.value.Secrets;
import java.time.Clock;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Problems, notices and progress of a running attempt. They are reported on threads that must not
 * wait, and stored by the thread of the task.
 */
final class TaskReport {
  private static final Logger LOG = LoggerFactory.getLogger(TaskReport.class);

  /**
   * The most problems of one attempt that become events; further ones are only counted. Memory: 500
   * bytes each.
   */
  private static final int MOST = 1000;

  /** The most deleted names of one attempt that become events. */
  private static final int MOST_DELETED = 100;

  /** The interval of stored progress; subscribers get it twice a second. */
  private static final long STORE_NANOS = 2_000_000_000L;

  private final Task task;
  private final TaskStore store;
  private final Live live;
  private final LinkPaces links;
  private final Totals totals;
  private final Clock clock;
  private final Queue<Waiting> waiting = new ConcurrentLinkedQueue<>();
  private final AtomicInteger taken = new AtomicInteger();
  private final AtomicInteger deleted = new AtomicInteger();

  private record Waiting(
      TaskEvent.Code code, boolean isError, String detail, String once, ErrorCode cause) {}

  // Confined to the thread of the task.
  private final TaskRate rate = new TaskRate();
  private long storedNanos = System.nanoTime();
  private Counts counts;
  private long reported;

  TaskReport(Task task, TaskStore store, Live live, LinkPaces links, Totals totals, Clock clock) {
    this.links = links;
    this.totals = totals;
    this.task = task;
    this.store = store;
    this.live = live;
    this.clock = clock;
    this.counts = task.counts();
    this.reported = task.counts().bytesDone();
  }

  /** Records a failed file. One event for each path and reason in the life of a task. */
  void problem(String path, ErrorCode code, String message) {
    if (taken.incrementAndGet() <= MOST) {
      String once = "problem:" + Secrets.hash(path + "\n" + code);
      String detail = PathText.named(path, Setting.asOptions(message));
      waiting.add(new Waiting(TaskEvent.Code.PROBLEM, true, detail, once, code));
    }
  }

  /** Records a name that was deleted at the destination. */
  void deleted(String path) {
    if (deleted.incrementAndGet() <= MOST_DELETED) {
      String once = "deleted:" + Secrets.hash(path);
      waiting.add(new Waiting(TaskEvent.Code.DELETED, false, path, once, null));
    }
  }

  /** Records a file that arrived: the last ones are kept. */
  void arrived(String path, long bytes) {
    live.arrived().add(task.id(), path, bytes);
  }

  void notice(String message) {
    if (taken.incrementAndGet() <= MOST) {
      waiting.add(
          new Waiting(
              TaskEvent.Code.NOTICE,
              false,
              Setting.asOptions(message),
              "notice:" + Secrets.hash(message),
              null));
    }
  }

  /** Records that the transfer of an earlier process was found again. */
  void foundAgain(String session, String detail) {
    live.changed(store.foundAgain(task, session, detail, clock.millis()));
  }

  /**
   * Stores the id of the session, the endpoint at which it runs, and the counts before it. Any
   * thread.
   *
   * @throws io.fdt.service.store.LostTaskException another process works on the task
   */
  void session(String id, String at, Counts before) {
    live.changed(store.session(task, id, at, before, clock.millis()));
  }

  /**
   * Stores waiting events.
   *
   * @throws io.fdt.service.store.LostTaskException another process works on the task
   */
  void flush() {
    for (Waiting next = waiting.peek(); next != null; next = waiting.peek()) {
      live.changed(
          store.event(
              task,
              next.code(),
              next.isError(),
              next.detail(),
              next.once(),
              next.cause(),
              clock.millis()));
      waiting.remove();
    }
  }

  /** Stores waiting events, or keeps them while the database is unavailable. */
  void flushIfPossible() {
    try {
      flush();
    } catch (StoreException e) {
      LOG.debug("task={} its events wait: {}", task.id(), e.getMessage());
    }
  }

  void progress(Counts now, int streams, long stalledMillis) {
    counts = now;
    moved(now);
    long nanos = System.nanoTime();
    long bytesPerSecond = rate.at(now.bytesDone(), nanos);
    live.rates().add(task.id(), clock.millis(), bytesPerSecond);
    live.progress(task, new Live.Progress(now, bytesPerSecond, streams, stalledMillis));
    if (nanos - storedNanos >= STORE_NANOS) {
      storedNanos = nanos;
      try {
        store.progress(task, now);
      } catch (StoreException e) {
        LOG.debug("task={} its progress is not stored: {}", task.id(), e.getMessage());
      }
    }
  }

  /** Counts the new bytes for the link. */
  void moved(Counts now) {
    links.moved(task, now.bytesDone() - reported);
    totals.moved(task, now.bytesDone() - reported);
    reported = now.bytesDone();
  }

  void counts(Counts now) {
    counts = now;
  }

  /** The last known counts. */
  Counts counts() {
    return counts;
  }
}
