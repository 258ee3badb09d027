package io.fdt.core.engine;

/**
 * The thread and the clock of one session: runs one task after another. An unexpected exception in
 * a task ends the session, and is logged.
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

  /** Ends the session because of an exception on another thread. */
  void fail(String what, Throwable thrown);

  /** The time, from an arbitrary origin. */
  long nanoTime();
}
