package io.fdt.plan.work;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * The pauses of an attempt while a server is busy, or another attempt writes its files. Pauses
 * double from half a second to 8 s, each shortened by up to a half at random, so that workers that
 * were refused together come one by one. Not thread-safe.
 */
public final class Patience {
  private static final long FIRST_PAUSE_NANOS = 500_000_000L;
  private static final long LAST_PAUSE_NANOS = 8_000_000_000L;

  /** After this time the unit is given back. */
  private static final Duration MOST = Duration.ofHours(1);

  private final RandomGenerator random;
  private final long endNanos;
  private long pauseNanos = FIRST_PAUSE_NANOS;

  /**
   * @param nowNanos when the attempt begins
   */
  public Patience(long nowNanos, RandomGenerator random) {
    this.random = random;
    this.endNanos = nowNanos + MOST.toNanos();
  }

  /** Whether the attempt gives up. */
  public boolean isOver(long nowNanos) {
    return nowNanos - endNanos >= 0;
  }

  public long takePauseNanos() {
    long pause = pauseNanos / 2 + random.nextLong(pauseNanos / 2 + 1);
    pauseNanos = Math.min(2 * pauseNanos, LAST_PAUSE_NANOS);
    return pause;
  }
}
