package io.fdt.core.engine;

import io.fdt.core.error.FdtException;
import io.netty.channel.EventLoop;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The event loop that one session is confined to. A defect in what runs on it ends the session,
 * never silently.
 *
 * <p>Thread-safe.
 */
public final class SessionLoop {
  private final EventLoop loop;
  private final Consumer<FdtException> defects;

  /**
   * @param defects told of a defect, on the loop
   */
  public SessionLoop(EventLoop loop, Consumer<FdtException> defects) {
    this.loop = loop;
    this.defects = defects;
  }

  /** Runs {@code task} on the loop, later; dropped when the loop has been shut down. */
  public void post(Runnable task) {
    try {
      loop.execute(() -> guarded(task));
    } catch (RejectedExecutionException e) {
      // The client or server was closed, and every session with it.
    }
  }

  /** Runs {@code task} on the loop: now if this is the loop, otherwise later. */
  public void run(Runnable task) {
    if (loop.inEventLoop()) {
      guarded(task);
    } else {
      post(task);
    }
  }

  /** Runs {@code task} on the loop after a delay; dropped when the loop has been shut down. */
  public void after(long nanos, Runnable task) {
    try {
      loop.schedule(() -> guarded(task), nanos, TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      // As in post.
    }
  }

  /** Ends the session for what was thrown on another thread. */
  public void fail(String what, Throwable thrown) {
    FdtException cause = FdtException.unforeseen(what, thrown);
    post(() -> defects.accept(cause));
  }

  private void guarded(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error e) {
      defects.accept(FdtException.unforeseen("the transfer cannot go on", e));
    }
  }
}
