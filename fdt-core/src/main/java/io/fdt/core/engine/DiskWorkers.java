package io.fdt.core.engine;

import io.fdt.core.storage.DiskId;
import io.fdt.core.tuning.DiskState;
import io.fdt.core.tuning.EndState;
import java.util.List;

/**
 * The workers for the disks of one session, a bounded number for each disk.
 *
 * <p>Not thread-safe: confined to the event loop of the session; the work itself runs elsewhere.
 */
public interface DiskWorkers extends AutoCloseable {
  /** Workers of each disk. */
  int threadsPerDisk();

  /** Sets the number of workers of each disk. */
  void setThreadsPerDisk(int count);

  /** Queues {@code work} for a worker of this disk. Dropped after {@link #close}. */
  void submit(DiskId disk, Runnable work);

  /**
   * The share of the time since the last call, 0 to 1, in which the workers of the busiest disk
   * worked.
   */
  double busiest(long nowNanos);

  /**
   * The load of the disks at the last call of {@link #busiest}, with the work that waits now: the
   * busiest first, at most {@link EndState#MOST_DISKS}. Empty if unknown.
   */
  default List<DiskState> states() {
    return List.of();
  }

  /** Completes submitted work; then the workers end. */
  @Override
  void close();

  /**
   * Waits for the end of the workers, up to a deadline; a disk may hang forever. Called after
   * {@link #close}, not on the loop and not on a worker.
   */
  void awaitEnd();
}
