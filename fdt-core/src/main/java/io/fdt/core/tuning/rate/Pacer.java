package io.fdt.core.tuning.rate;

import java.util.concurrent.TimeUnit;

/**
 * Spreads bytes evenly over time, so that no more than a given rate leaves. Time is an argument.
 *
 * <pre>
 *   paid until:   now - 25 ms &lt;------- now -------> later: the next piece waits for it
 *                 no more credit than that
 * </pre>
 *
 * Each piece moves the time that is paid for on by what it costs. A timer that comes late is made
 * up for, up to 25 ms; a longer pause is not. So in any window more than its rate leaves by at most
 * 25 ms of it and one piece, and a piece is 10 ms of it: over 5 s that is 0.7 %, as long as 10 ms
 * are a kilobyte.
 *
 * <p>Not thread-safe.
 */
public final class Pacer {
  /** A busy machine's timers are late by less. */
  static final long CREDIT_NANOS = TimeUnit.MILLISECONDS.toNanos(25);

  static final long PIECE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  /** Smaller pieces are mostly headers of packets. */
  static final int LEAST_PIECE = 1024;

  /** A timer for less costs more than it is good for; it is made up for as one that is late. */
  private static final long LEAST_WAIT_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

  private static final double SECOND = TimeUnit.SECONDS.toNanos(1);

  private long bytesPerSecond;
  private long paidNanos;

  /** The unit is a part of a nanosecond: small pieces at high rates cost few of them. */
  private double paidFraction;

  /** The current limit: bytes per second, 0 for none. */
  public long bytesPerSecond() {
    return bytesPerSecond;
  }

  /**
   * Holds another rate from now on. Bytes that have left and are not paid for are paid at the
   * higher of the two rates.
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

  /** {@code bytes} leave now. */
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
