package io.fdt.core.unit;

import java.time.Duration;
import java.util.function.LongUnaryOperator;

/**
 * The pauses between attempts: the first one, twice as long after each failure, at most the last
 * one. Not thread-safe.
 */
public final class Backoff {
  private final long firstNanos;
  private final long lastNanos;
  private int failures;

  public Backoff(Duration first, Duration last) {
    this.firstNanos = first.toNanos();
    this.lastNanos = last.toNanos();
  }

  /** The pause before the next attempt. */
  public long nextNanos() {
    failures++;
    return nanosAfter(failures);
  }

  /**
   * The same, shortened by up to a half: those that failed together come back apart.
   *
   * @param random makes a number from 0 to below its argument
   */
  public long nextNanos(LongUnaryOperator random) {
    return shortened(nextNanos(), random);
  }

  /** An attempt has succeeded. */
  public void reset() {
    failures = 0;
  }

  /**
   * The pause after so many failures in a row.
   *
   * @param count at least 1
   */
  public long nanosAfter(int count) {
    int doublings = Math.min(count - 1, Long.numberOfLeadingZeros(firstNanos) - 1);
    return Math.min(lastNanos, firstNanos << doublings);
  }

  /** The same, shortened by up to a half. */
  public long nanosAfter(int count, LongUnaryOperator random) {
    return shortened(nanosAfter(count), random);
  }

  private static long shortened(long nanos, LongUnaryOperator random) {
    return nanos / 2 + random.applyAsLong(nanos / 2 + 1);
  }
}
