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

  /** From now on so many workers serve each disk. */
  void setThreadsPerDisk(int count);

  /** Has a worker of this disk do {@code work}, in its turn. Dropped once this is closed. */
  void submit(DiskId disk, Runnable work);

  /** How much of the time since the last call, 0 to 1, the workers of the busiest disk worked. */
  double busiest(long nowNanos);

  /**
   * The disks when {@link #busiest} was last called, and what waits for them now: the busiest
   * first, at most {@link EndState#MOST_DISKS}. Empty where nothing is known of them.
   */
  default List<DiskState> states() {
    return List.of();
  }

  /** Submitted work is still done; then the workers end. */
  @Override
  void close();

  /**
   * Waits for the end of the workers, up to a deadline; a disk may be stuck for good. Called after
   * {@link #close}, not on the loop and not on a worker.
   */
  void awaitEnd();
}
