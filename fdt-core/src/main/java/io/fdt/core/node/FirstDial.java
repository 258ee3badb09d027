package io.fdt.core.node;

import io.fdt.core.engine.HostThreads;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.transport.ControlConnection;
import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The first connection of a session, to a peer that need not be there yet. For one thread.
 *
 * @param patience how long it is tried again
 * @param isCancelled whether nobody wants it any more
 * @param notices hears why it is, once for each reason
 */
record FirstDial(Duration patience, BooleanSupplier isCancelled, Consumer<String> notices) {
  private static final long FIRST_PAUSE_MILLIS = 200;
  private static final long LAST_PAUSE_MILLIS = 15_000;

  /**
   * As {@link Dialer#dial}. Blocks.
   *
   * @throws FdtException why it cannot be reached; CANCELLED when the thread is interrupted
   */
  Dialer.Dialed dial(
      Dialer dialer,
      EventLoop loop,
      BiConsumer<InetSocketAddress, Duration> reached,
      Function<ControlConnection, ControlConnection.Handler> handlers)
      throws FdtException {
    HostThreads threads = dialer.node().threads();
    long deadlineNanos = threads.nanoTime() + patience.toNanos();
    String told = "";
    long pause = FIRST_PAUSE_MILLIS;
    while (true) {
      try {
        return dialer.dial(loop, reached, handlers);
      } catch (FdtException e) {
        long left = TimeUnit.NANOSECONDS.toMillis(deadlineNanos - threads.nanoTime());
        if (left <= 0 || isCancelled.getAsBoolean() || e.code().retry() != ErrorCode.Retry.LATER) {
          throw e;
        }
        if (!told.equals(e.getMessage())) {
          told = e.getMessage();
          notices.accept(told + ": trying again");
        }
        pause(threads, Math.min(pause, left));
        pause = Math.min(2 * pause, LAST_PAUSE_MILLIS);
      }
    }
  }

  private static void pause(HostThreads threads, long millis) throws FdtException {
    try {
      threads.sleep(TimeUnit.MILLISECONDS.toNanos(millis));
    } catch (InterruptedException e) {
      throw new FdtException(ErrorCode.CANCELLED, "no longer wanted", e);
    }
  }
}
