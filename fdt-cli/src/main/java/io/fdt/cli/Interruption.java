package io.fdt.cli;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * What to do when somebody ends this process with SIGINT, SIGTERM or SIGHUP before {@link #close}.
 * Any thread.
 *
 * <p>The JVM then exits with 128 plus the number of the signal, as soon as the action has returned.
 */
final class Interruption implements AutoCloseable {
  private final AtomicBoolean happened = new AtomicBoolean();
  private final Thread hook;

  private Interruption(Runnable action) {
    this.hook =
        new Thread(
            () -> {
              happened.set(true);
              action.run();
            },
            "fdt-interruption");
  }

  /** Runs the action, which must be quick and bounded, when the process is told to end. */
  static Interruption arm(Runnable action) {
    Interruption interruption = new Interruption(action);
    Runtime.getRuntime().addShutdownHook(interruption.hook);
    return interruption;
  }

  /** Whether the action has begun. */
  boolean hasHappened() {
    return happened.get();
  }

  /** Forgets the action, unless it has begun. */
  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      happened.set(true); // the process is ending: the action has begun or is about to
    }
  }
}
