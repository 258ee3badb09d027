package io.fdt.core.unit;

import java.time.Duration;
import java.util.function.LongUnaryOperator;

/**
 * The pauses between attempts: starting with a minimum, doubled after each failure, up to a
 * maximum. Not thread-safe.
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
   * The same, shortened by a random part of up to a half, so that simultaneous failures are retried
   * at different times.
   *
   * @param random returns a number from 0 to below its argument
   */
  public long nextNanos(LongUnaryOperator random) {
    return shortened(nextNanos(), random);
  }

  /** Starts over after a successful attempt. */
  public void reset() {
    failures = 0;
  }

  /**
   * The pause after consecutive failures.
   *
   * @param count of failures, at least 1
   */
  public long nanosAfter(int count) {
    int doublings = Math.min(count - 1, Long.numberOfLeadingZeros(firstNanos) - 1);
    return Math.min(lastNanos, firstNanos << doublings);
  }

  /** The same, shortened by a random part of up to a half. */
  public long nanosAfter(int count, LongUnaryOperator random) {
    return shortened(nanosAfter(count), random);
  }

  private static long shortened(long nanos, LongUnaryOperator random) {
    return nanos / 2 + random.applyAsLong(nanos / 2 + 1);
  }
}
