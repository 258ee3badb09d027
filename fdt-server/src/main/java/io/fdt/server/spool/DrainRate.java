package io.fdt.server.spool;

import io.fdt.core.spec.SessionDeadlines;
import java.util.concurrent.TimeUnit;

/**
 * Measures the rate at which the other side of a connection accepts bytes, which limits the
 * backlog. Time is an argument. Not thread-safe.
 */
final class DrainRate {
  /** The limit of the backlog before any measurement. */
  static final long LEAST_KEPT = 4 << 20;

  /**
   * Time within which a backlog drains. A longer one is useless: both ends give up connections when
   * the part behind the relay is silent for that long. It also does harm: waiting blocks cannot use
   * a faster connection, and the sender learns the capacity of that part late.
   */
  private static final double LONGEST_SECONDS =
      SessionDeadlines.DEFAULT.idleTimeout().toMillis() / 1e3;

  /**
   * The time of a measurement: so long that the initial burst into a socket's buffer does not
   * count.
   */
  private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(5);

  private long sinceNanos;
  private long bytes;

  /** Rate of the best window so far. */
  private double bytesPerSecond;

  DrainRate(long nowNanos) {
    sinceNanos = nowNanos;
  }

  /** Records sent bytes. */
  void left(int count, long nowNanos) {
    bytes += count;
    long time = nowNanos - sinceNanos;
    if (time >= WINDOW_NANOS) {
      bytesPerSecond = Math.max(bytesPerSecond, bytes * 1e9 / time);
      bytes = 0;
      sinceNanos = nowNanos;
    }
  }

  /** Most bytes that may wait. */
  long mostKept() {
    return Math.max(LEAST_KEPT, (long) (bytesPerSecond * LONGEST_SECONDS));
  }
}
