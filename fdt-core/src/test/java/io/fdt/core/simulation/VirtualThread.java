package io.fdt.core.simulation;

import io.fdt.core.engine.HostThreads;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * A thread of a {@link SimulatedProcess}. It has a thread of the JVM, which runs only while the
 * simulation waits for it: from {@link #resume} to its next wait, or its end.
 */
final class VirtualThread implements HostThreads.Started {
  /** Ends a thread of a process that has died. */
  private static final class Killed extends Error {
    private static final long serialVersionUID = 1;

    Killed() {
      super("the process is dead", null, false, false);
    }
  }

  /** Real time; a thread that takes as long waits for something that is not simulated. */
  private static final int STUCK_SECONDS = 30;

  private static final ExecutorService REAL =
      Executors.newCachedThreadPool(
          work -> {
            Thread thread = new Thread(work, "simulated");
            thread.setDaemon(true);
            return thread;
          });

  private static final ThreadLocal<VirtualThread> CURRENT = new ThreadLocal<>();

  private final SimulatedProcess process;
  private final String name;
  private final Runnable work;
  private final Semaphore turn = new Semaphore(0);
  private final Semaphore back = new Semaphore(0);
  private Thread real;
  private boolean started;
  private boolean ended;
  private boolean killed;
  private boolean interrupted;
  private int waits;
  private Throwable thrown;

  VirtualThread(SimulatedProcess process, String name, Runnable work) {
    this.process = process;
    this.name = name;
    this.work = work;
  }

  /** The one that calls this. */
  static VirtualThread current() {
    VirtualThread current = CURRENT.get();
    if (current == null) {
      throw new AssertionError("an event loop waits");
    }
    return current;
  }

  /** Lets it run to its next wait, or to its end. */
  void resume() {
    if (ended) {
      return;
    }
    if (started) {
      turn.release();
    } else {
      started = true;
      REAL.execute(this::run);
    }
    try {
      if (!back.tryAcquire(STUCK_SECONDS, TimeUnit.SECONDS)) {
        AssertionError stuck = new AssertionError(name + " waits in real time");
        stuck.setStackTrace(real.getStackTrace());
        throw stuck;
      }
    } catch (InterruptedException e) {
      throw new AssertionError("the test was interrupted", e);
    }
    if (thrown != null) {
      throw new AssertionError(name, thrown);
    }
  }

  private void run() {
    real = Thread.currentThread();
    CURRENT.set(this);
    try {
      work.run();
    } catch (Killed e) {
      // as it should be
    } catch (RuntimeException | Error e) {
      thrown = killed ? null : e;
    } finally {
      CURRENT.remove();
      ended = true;
      process.ended(this);
      back.release();
    }
  }

  /**
   * Waits, on this thread.
   *
   * @return whether the condition is true
   */
  boolean await(BooleanSupplier condition, long nanos) throws InterruptedException {
    checkGoesOn();
    if (condition.getAsBoolean()) {
      return true;
    }
    int wait = ++waits;
    boolean[] late = new boolean[1];
    if (nanos != Long.MAX_VALUE) {
      process.time.after(nanos, process.alive(() -> late[0] = true));
    }
    process.time.when(
        () -> wait != waits || interrupted || late[0] || condition.getAsBoolean(),
        process.alive(
            () -> {
              if (wait == waits) {
                resume();
              }
            }));
    back.release();
    turn.acquireUninterruptibly();
    waits++;
    checkGoesOn();
    return condition.getAsBoolean();
  }

  private void checkGoesOn() throws InterruptedException {
    if (killed) {
      throw new Killed();
    }
    if (interrupted) {
      interrupted = false;
      throw new InterruptedException();
    }
  }

  @Override
  public void interrupt() {
    interrupted = true;
  }

  /** Its process has died: what it would clear up, it clears up now. */
  void kill() {
    killed = true;
    if (started) {
      resume();
    } else {
      ended = true;
      process.ended(this);
    }
  }
}
