package io.fdt.server.spool;

import io.fdt.core.spec.SessionDeadlines;
import java.util.concurrent.TimeUnit;

/**
 * How fast the other side of a connection takes bytes, and so how many may wait for it. Time is an
 * argument. Not thread-safe.
 */
final class DrainRate {
  /** Before anything is known. */
  static final long LEAST_KEPT = 4 << 20;

  /**
   * What waits leaves within this time. More is of no use: the ends give up connections when the
   * part behind the relay carries nothing for so long. And it does harm: blocks that wait for one
   * connection cannot take a faster one, and the sender would learn late what that part carries.
   */
  private static final double LONGEST_SECONDS =
      SessionDeadlines.DEFAULT.idleTimeout().toMillis() / 1e3;

  /** Long enough that what a socket's buffer takes at once is no rate. */
  private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(5);

  private long sinceNanos;
  private long bytes;

  /** Of the best window so far. */
  private double bytesPerSecond;

  DrainRate(long nowNanos) {
    sinceNanos = nowNanos;
  }

  /** So many bytes have left. */
  void left(int count, long nowNanos) {
    bytes += count;
    long time = nowNanos - sinceNanos;
    if (time >= WINDOW_NANOS) {
      bytesPerSecond = Math.max(bytesPerSecond, bytes * 1e9 / time);
      bytes = 0;
      sinceNanos = nowNanos;
    }
  }

  /** How many bytes may wait. */
  long mostKept() {
    return Math.max(LEAST_KEPT, (long) (bytesPerSecond * LONGEST_SECONDS));
  }
}
