package io.fdt.core.engine;

/**
 * The thread and the clock of one session: one task after another. A defect in what runs on it ends
 * the session, never silently.
 *
 * <p>Thread-safe.
 */
public interface SessionLoop {
  /** Runs {@code task} on the loop, later; dropped when the loop has been shut down. */
  void post(Runnable task);

  /** Runs {@code task} on the loop: now if this is the loop, otherwise later. */
  void run(Runnable task);

  /** Runs {@code task} on the loop after a delay; dropped when the loop has been shut down. */
  void after(long nanos, Runnable task);

  /** Ends the session for what was thrown on another thread. */
  void fail(String what, Throwable thrown);

  /** The time, from an arbitrary origin. */
  long nanoTime();
}
