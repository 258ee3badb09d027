package io.fdt.plan.work;

import io.fdt.core.unit.Backoff;
import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * The pauses of an attempt while a server is busy, or another attempt writes its files. Pauses
 * double from half a second to 8 s, each shortened by up to a half at random, so that
 * simultaneously refused workers retry at different times. Not thread-safe.
 */
public final class Patience {
  /** The time after which the unit is returned. */
  private static final Duration MOST = Duration.ofHours(1);

  private final RandomGenerator random;
  private final long endNanos;
  private final Backoff pauses = new Backoff(Duration.ofMillis(500), Duration.ofSeconds(8));

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
    return pauses.nextNanos(random::nextLong);
  }
}
