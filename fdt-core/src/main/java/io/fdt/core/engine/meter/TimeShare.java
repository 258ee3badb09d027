package io.fdt.core.engine.meter;

/**
 * The share of time in which a condition holds, by the clock of the caller.
 *
 * <p>Not thread-safe: confined to the event loop of the session.
 */
public final class TimeShare {
  private boolean holds;
  private long sinceNanos;
  private long lastNanos;
  private long nanos;

  public TimeShare(long nowNanos) {
    this.lastNanos = nowNanos;
    this.sinceNanos = nowNanos;
  }

  /** Sets whether the condition holds from now on. */
  public void set(boolean value, long nowNanos) {
    if (holds) {
      nanos += nowNanos - sinceNanos;
    }
    holds = value;
    sinceNanos = nowNanos;
  }

  /** The share of the time since the last call, 0 to 1. */
  public double take(long nowNanos) {
    set(holds, nowNanos);
    double share = (double) nanos / Math.max(1, nowNanos - lastNanos);
    nanos = 0;
    lastNanos = nowNanos;
    return Math.min(1, share);
  }
}
