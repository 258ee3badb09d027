package io.fdt.core.engine;

import io.fdt.core.storage.DiskId;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The threads of one session that wait for disks: the same number for each disk, so that several
 * disks work at the same time and no disk waits for another. They are started when their disk gets
 * work, and end when it has none.
 *
 * <p>Not thread-safe: confined to the event loop of the session; the work itself runs on the disks'
 * threads.
 */
final class DiskScheduler implements AutoCloseable {
  private static final long IDLE_SECONDS = 5;
  private static final long END_DEADLINE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final String name;
  private final int threadsPerDisk;
  private final Map<DiskId, ThreadPoolExecutor> disks = new HashMap<>();
  private boolean closed;

  DiskScheduler(String name, int threadsPerDisk) {
    this.name = name;
    this.threadsPerDisk = threadsPerDisk;
  }

  int threadsPerDisk() {
    return threadsPerDisk;
  }

  /** Has a thread of this disk do {@code work}, in its turn. Dropped once this is closed. */
  void submit(DiskId disk, Runnable work) {
    if (!closed) {
      disks.computeIfAbsent(disk, this::start).execute(work);
    }
  }

  private ThreadPoolExecutor start(DiskId disk) {
    ThreadFactory threads =
        work -> {
          Thread thread = new Thread(work, name + "-disk-" + disk.name());
          thread.setDaemon(true);
          return thread;
        };
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            threadsPerDisk,
            threadsPerDisk,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            threads);
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }

  /** What was submitted is still done; then the threads end. */
  @Override
  public void close() {
    closed = true;
    disks.values().forEach(ThreadPoolExecutor::shutdown);
  }

  /**
   * Waits for the end of the threads, up to a deadline; a disk may be stuck for good. Called after
   * {@link #close}, on any thread but those of disks.
   */
  void awaitEnd() {
    long deadline = System.nanoTime() + END_DEADLINE_NANOS;
    try {
      for (ThreadPoolExecutor disk : disks.values()) {
        disk.awaitTermination(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
