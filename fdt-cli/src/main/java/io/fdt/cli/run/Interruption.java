package io.fdt.cli.run;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * An action for SIGINT, SIGTERM or SIGHUP before {@link #close}. Any thread.
 *
 * <p>After the action, the process exits with 128 plus the number of the signal.
 */
public final class Interruption implements AutoCloseable {
  /** The deadline for an action that hangs because of a defect. */
  private static final long DEADLINE_SECONDS = 20;

  private final AtomicBoolean happened = new AtomicBoolean();
  private final CountDownLatch ended = new CountDownLatch(1);
  private final ExitHooks ending;
  private final Thread hook;

  private Interruption(Runnable action, ExitHooks ending) {
    this.ending = ending;
    this.hook =
        new Thread(
            () -> {
              happened.set(true);
              try {
                action.run();
              } finally {
                ended.countDown();
              }
            },
            "fdt-interruption");
  }

  /** Runs the action, which must be quick and bounded, when a signal ends the command. */
  public static Interruption arm(Runnable action, ExitHooks ending) {
    Interruption interruption = new Interruption(action, ending);
    ending.add(interruption.hook);
    return interruption;
  }

  /** Whether the action has begun. */
  public boolean hasHappened() {
    return happened.get();
  }

  /** Forgets the action, unless it has begun: then this waits for its end. */
  @Override
  public void close() {
    try {
      ending.remove(hook);
    } catch (IllegalStateException e) {
      happened.set(true); // the process is ending: the action has begun or is about to
      awaitEnd();
    }
  }

  private void awaitEnd() {
    try {
      ended.await(DEADLINE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
