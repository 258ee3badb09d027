package io.fdt.core.tuning.rate;

import java.util.concurrent.TimeUnit;

/**
 * Spreads bytes evenly over time, within a given rate. Time is an argument.
 *
 * <pre>
 *   paid until:   now - 25 ms &lt;------- now -------> later: the next piece waits for it
 *                 the maximum credit
 * </pre>
 *
 * Each piece advances the paid time by its cost. A late timer is made up for, up to 25 ms; a longer
 * pause is not. So a window exceeds the rate by at most 25 ms and one piece, which is 10 ms: over 5
 * s this is 0.7 %, provided 10 ms are at least a kilobyte.
 *
 * <p>Not thread-safe.
 */
public final class Pacer {
  /** The maximum credit: more than the delay of timers on a busy machine. */
  static final long CREDIT_NANOS = TimeUnit.MILLISECONDS.toNanos(25);

  static final long PIECE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  /** The smallest piece, below which packets are mostly headers. */
  static final int LEAST_PIECE = 1024;

  /** The shortest wait; below it, a timer costs too much, and the credit makes up for the delay. */
  private static final long LEAST_WAIT_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

  private static final double SECOND = TimeUnit.SECONDS.toNanos(1);

  private long bytesPerSecond;
  private long paidNanos;

  /** The paid fraction of a nanosecond: small pieces at high rates cost only a few nanoseconds. */
  private double paidFraction;

  /** The current limit: bytes per second, 0 for none. */
  public long bytesPerSecond() {
    return bytesPerSecond;
  }

  /**
   * Changes the rate. Sent but unpaid bytes are charged at the higher of the two rates.
   *
   * @param rate bytes per second; 0 for no limit
   */
  public void setRate(long rate, long nowNanos) {
    if (rate == bytesPerSecond) {
      return;
    }
    long debt = paidNanos - nowNanos;
    if (bytesPerSecond == 0 || rate == 0) {
      paidNanos = nowNanos;
    } else if (debt > 0 && rate > bytesPerSecond) {
      paidNanos = nowNanos + (long) ((double) debt * bytesPerSecond / rate);
    }
    bytesPerSecond = rate;
  }

  /** Nanoseconds until the next piece may leave; 0 for now. */
  public long nanosToWait(long nowNanos) {
    if (bytesPerSecond == 0 || paidNanos - nowNanos <= 0) {
      return 0;
    }
    return Math.max(LEAST_WAIT_NANOS, paidNanos - nowNanos);
  }

  /** How much of {@code wanted} bytes may leave at once, 1 or more. */
  public int piece(int wanted) {
    if (bytesPerSecond == 0) {
      return wanted;
    }
    double smooth = bytesPerSecond * (PIECE_NANOS / SECOND);
    return (int) Math.min(wanted, Math.max(LEAST_PIECE, smooth));
  }

  /** Accounts {@code bytes} sent now. */
  public void sent(int bytes, long nowNanos) {
    if (bytesPerSecond == 0) {
      return;
    }
    if (paidNanos - nowNanos < -CREDIT_NANOS) {
      paidNanos = nowNanos - CREDIT_NANOS;
    }
    double cost = bytes * SECOND / bytesPerSecond + paidFraction;
    long whole = (long) cost;
    paidNanos += whole;
    paidFraction = cost - whole;
  }
}
