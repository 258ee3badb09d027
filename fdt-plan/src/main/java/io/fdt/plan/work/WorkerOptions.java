package io.fdt.plan.work;

/**
 * The options of a worker. Immutable.
 *
 * @param index of the worker, 0 or more, which determines its start
 * @param count of all workers, 1 or more
 * @param parallel units at once, 1 to {@link #MAX_PARALLEL}
 * @param attempts at a unit that fails, by all workers together, 1 or more
 * @param waits whether it waits for the units of others
 */
public record WorkerOptions(int index, int count, int parallel, int attempts, boolean waits) {
  /** The most units at once; each has a session with its own streams and memory. */
  public static final int MAX_PARALLEL = 16;

  /** The default number of attempts, enough for temporary failures of disks and networks. */
  public static final int DEFAULT_ATTEMPTS = 3;

  /**
   * Checks the options.
   *
   * @throws IllegalArgumentException one is out of its range
   */
  public WorkerOptions {
    if (index < 0 || count < 1) {
      throw new IllegalArgumentException("worker " + index + " of " + count);
    }
    if (parallel < 1 || parallel > MAX_PARALLEL) {
      throw new IllegalArgumentException(
          "units at once: " + parallel + " is not between 1 and " + MAX_PARALLEL);
    }
    if (attempts < 1) {
      throw new IllegalArgumentException("attempts: " + attempts + " is less than 1");
    }
  }
}
