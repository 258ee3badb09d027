package io.fdt.server.spool;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Threads for work that waits for a disk, shared by several owners. Each owner has a queue of its
 * own and at most a quarter of the threads, and the owners take turns. Thread-safe.
 */
public final class FairThreads implements AutoCloseable {
  /** The number of threads, which mostly wait for the disk, and end when idle. */
  public static final int THREADS = 16;

  public static final int MOST_OF_OWNER = THREADS / 4;

  private static final long IDLE_SECONDS = 5;

  /** The work of one owner. */
  private static final class Line {
    private final Deque<Runnable> waiting = new ArrayDeque<>();
    private int running;
  }

  private final ThreadPoolExecutor threads;
  private final long stopNanos;

  /** Owners with work, in round-robin order. */
  private final Map<String, Line> lines = new LinkedHashMap<>();

  private int running;
  private boolean isClosed;

  /**
   * @param stopSeconds how long {@link #close} waits for work: a disk may hang forever
   */
  public FairThreads(String name, long stopSeconds) {
    this.stopNanos = TimeUnit.SECONDS.toNanos(stopSeconds);
    this.threads =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(), // there are never more than threads
            work -> {
              Thread made = new Thread(work, name);
              made.setDaemon(true);
              return made;
            });
    threads.allowCoreThreadTimeOut(true);
  }

  /**
   * Runs work when it is its owner's turn.
   *
   * @throws RejectedExecutionException it is closed
   */
  public synchronized void execute(String owner, Runnable work) {
    if (isClosed) {
      throw new RejectedExecutionException("closed");
    }
    lines.computeIfAbsent(owner, same -> new Line()).waiting.add(work);
    startNext();
  }

  private void startNext() {
    String owner;
    while (running < THREADS && (owner = next()) != null) {
      Line line = lines.remove(owner);
      lines.put(owner, line); // the last one now
      start(owner, line, line.waiting.remove());
    }
  }

  private String next() {
    for (Map.Entry<String, Line> one : lines.entrySet()) {
      Line line = one.getValue();
      if (!line.waiting.isEmpty() && line.running < MOST_OF_OWNER) {
        return one.getKey();
      }
    }
    return null;
  }

  private void start(String owner, Line line, Runnable work) {
    line.running++;
    running++;
    threads.execute(
        () -> {
          try {
            work.run();
          } finally {
            ended(owner, line);
          }
        });
  }

  private synchronized void ended(String owner, Line line) {
    line.running--;
    running--;
    if (line.running == 0 && line.waiting.isEmpty()) {
      lines.remove(owner);
    }
    startNext();
    endIfIdle();
  }

  private void endIfIdle() {
    if (isClosed && lines.isEmpty()) {
      threads.shutdown();
      notifyAll();
    }
  }

  /** Accepts no more work, and waits a moment for queued work, which continues afterwards. */
  @Override
  public synchronized void close() {
    isClosed = true;
    endIfIdle();
    try {
      long deadlineNanos = System.nanoTime() + stopNanos;
      for (long left = stopNanos; left > 0 && !lines.isEmpty(); ) {
        TimeUnit.NANOSECONDS.timedWait(this, left);
        left = deadlineNanos - System.nanoTime();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Whether all work has ended. */
  public synchronized boolean isIdle() {
    return lines.isEmpty();
  }
}
