package io.fdt.core.engine;

import io.fdt.core.error.FdtException;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Ticker;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The loop of a session on an event loop of Netty.
 *
 * <p>Thread-safe.
 */
public final class NettySessionLoop implements SessionLoop {
  private final EventLoop loop;
  private final Consumer<FdtException> defects;

  /**
   * @param defects takes defects, on the loop
   */
  public NettySessionLoop(EventLoop loop, Consumer<FdtException> defects) {
    this.loop = loop;
    this.defects = defects;
  }

  @Override
  public void post(Runnable task) {
    try {
      loop.execute(() -> guarded(task));
    } catch (RejectedExecutionException e) {
      // The client or server was closed, with all its sessions.
    }
  }

  @Override
  public void run(Runnable task) {
    if (loop.inEventLoop()) {
      guarded(task);
    } else {
      post(task);
    }
  }

  @Override
  public void after(long nanos, Runnable task) {
    try {
      loop.schedule(() -> guarded(task), nanos, TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      // The loop was shut down, as in post.
    }
  }

  @Override
  public void fail(String what, Throwable thrown) {
    FdtException cause = FdtException.unforeseen(what, thrown);
    post(() -> defects.accept(cause));
  }

  @Override
  public long nanoTime() {
    Ticker ticker = loop.ticker();
    return ticker.initialNanoTime() + ticker.nanoTime();
  }

  private void guarded(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error e) {
      defects.accept(FdtException.unforeseen("the transfer cannot continue", e));
    }
  }
}
