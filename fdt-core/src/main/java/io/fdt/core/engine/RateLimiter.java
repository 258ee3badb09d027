package io.fdt.core.engine;

/**
 * Spreads bytes over time so that no more than a given rate leaves. Time is an argument.
 *
 * <p>Each send moves the time of the next one on by what it costs; a pause is not made up for
 * later.
 */
final class RateLimiter {
  private final long bytesPerSecond;
  private long nextNanos;
  private boolean started;

  /**
   * @param bytesPerSecond 0 for no limit
   */
  RateLimiter(long bytesPerSecond) {
    this.bytesPerSecond = bytesPerSecond;
  }

  /** Nanoseconds until something may be sent; 0 for now. */
  long nanosToWait(long nowNanos) {
    if (bytesPerSecond == 0 || !started) {
      return 0;
    }
    return Math.max(0, nextNanos - nowNanos);
  }

  /** {@code bytes} leave now. */
  void sent(long bytes, long nowNanos) {
    if (bytesPerSecond == 0) {
      return;
    }
    long cost = (long) (bytes * 1e9 / bytesPerSecond);
    nextNanos = (started ? Math.max(nextNanos, nowNanos) : nowNanos) + cost;
    started = true;
  }
}
