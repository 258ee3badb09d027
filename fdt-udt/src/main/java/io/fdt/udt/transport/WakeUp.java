package io.fdt.udt.transport;

import io.netty.channel.EventLoop;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** One reusable timer. Confined to its event loop. */
final class WakeUp {
  /** The largest difference for which the timer is not rescheduled. */
  private static final long SLACK_MICROS = 30;

  private final EventLoop loop;
  private final Runnable task;
  private long atMicros = Long.MAX_VALUE;
  private ScheduledFuture<?> timer;

  WakeUp(EventLoop loop, Runnable task) {
    this.loop = loop;
    this.task = task;
  }

  /** Runs the task at this time, or now if that has passed, and at no other time. */
  void at(long now, long micros) {
    if (timer != null && atMicros <= micros + SLACK_MICROS && atMicros > now) {
      return;
    }
    cancel();
    atMicros = micros;
    timer = loop.schedule(this::run, Math.max(0, micros - now), TimeUnit.MICROSECONDS);
  }

  private void run() {
    timer = null;
    atMicros = Long.MAX_VALUE;
    task.run();
  }

  void cancel() {
    if (timer != null) {
      timer.cancel(false);
    }
  }
}
