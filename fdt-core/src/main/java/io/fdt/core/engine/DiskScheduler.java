package io.fdt.core.engine;

import io.fdt.core.placement.Placement;
import io.fdt.core.storage.DiskId;
import io.fdt.core.tuning.DiskState;
import io.fdt.core.tuning.EndState;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * The disk threads of one session: the same number for each disk, so that disks work in parallel
 * and do not wait for each other. A thread starts when its disk gets work, and ends when there is
 * none.
 *
 * <p>Not thread-safe: confined to the event loop of the session; the work itself runs on the disks'
 * threads.
 */
public final class DiskScheduler implements DiskWorkers {
  private static final long IDLE_SECONDS = 5;
  private static final long END_DEADLINE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final String name;
  private final Map<DiskId, Disk> disks = new HashMap<>();
  private int threadsPerDisk;
  private long lastNanos = System.nanoTime();
  private boolean closed;

  /** The threads of one disk, and the time that they have worked, without that for memory. */
  private static final class Disk {
    final DiskId id;
    final ThreadPoolExecutor threads;
    final LongAdder busyNanos = new LongAdder();
    private final Set<DiskThread> alive = ConcurrentHashMap.newKeySet();
    long lastBusyNanos;
    double share;

    Disk(DiskId id, String name, int count) {
      this.id = id;
      threads =
          new ThreadPoolExecutor(
              count,
              count,
              IDLE_SECONDS,
              TimeUnit.SECONDS,
              new LinkedBlockingQueue<>(),
              work -> new DiskThread(() -> run(work), name, busyNanos));
      threads.allowCoreThreadTimeOut(true);
    }

    private void run(Runnable work) {
      DiskThread thread = (DiskThread) Thread.currentThread();
      alive.add(thread);
      try {
        Placement.ofProcess().ofDisk(id.name());
        work.run();
      } finally {
        alive.remove(thread);
      }
    }

    void work(Runnable work) {
      threads.execute(
          () -> {
            DiskThread.works();
            try {
              work.run();
            } finally {
              DiskThread.waits();
            }
          });
    }

    /**
     * The work until now. Work that has not ended counts: a read that hangs for seconds would look
     * like idleness, and then like more than there is time for. The sum is read first, so that work
     * that ends meanwhile is left out once, and never counts twice.
     */
    long busyNanos(long nowNanos) {
      long busy = busyNanos.sum();
      for (DiskThread thread : alive) {
        busy += thread.nanosSoFar(nowNanos);
      }
      return busy;
    }
  }

  public DiskScheduler(String name, int threadsPerDisk) {
    this.name = name;
    this.threadsPerDisk = threadsPerDisk;
  }

  @Override
  public int threadsPerDisk() {
    return threadsPerDisk;
  }

  @Override
  public void submit(DiskId disk, Runnable work) {
    if (!closed) {
      disks
          .computeIfAbsent(disk, id -> new Disk(id, name + "-disk-" + id.name(), threadsPerDisk))
          .work(work);
    }
  }

  @Override
  public void setThreadsPerDisk(int count) {
    boolean more = count > threadsPerDisk;
    threadsPerDisk = count;
    for (Disk disk : disks.values()) {
      if (more) {
        disk.threads.setMaximumPoolSize(count);
        disk.threads.setCorePoolSize(count);
      } else {
        disk.threads.setCorePoolSize(count);
        disk.threads.setMaximumPoolSize(count);
      }
    }
  }

  @Override
  public double busiest(long nowNanos) {
    double most = 0;
    double time = Math.max(1, nowNanos - lastNanos) * (double) threadsPerDisk;
    lastNanos = nowNanos;
    for (Disk disk : disks.values()) {
      long busy = disk.busyNanos(nowNanos);
      disk.share = Math.max(0, Math.min(1, (busy - disk.lastBusyNanos) / time));
      most = Math.max(most, disk.share);
      disk.lastBusyNanos = busy;
    }
    return most;
  }

  @Override
  public List<DiskState> states() {
    return disks.values().stream()
        .map(
            disk ->
                new DiskState(
                    disk.id.name(), disk.share, disk.threads.getQueue().size(), threadsPerDisk))
        .sorted(Comparator.comparingDouble(DiskState::busy).reversed())
        .limit(EndState.MOST_DISKS)
        .toList();
  }

  /** Completes submitted work; then the threads end. */
  @Override
  public void close() {
    closed = true;
    disks.values().forEach(disk -> disk.threads.shutdown());
  }

  @Override
  public void awaitEnd() {
    long deadline = System.nanoTime() + END_DEADLINE_NANOS;
    try {
      for (Disk disk : disks.values()) {
        disk.threads.awaitTermination(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
