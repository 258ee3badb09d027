package io.fdt.cli.run.watch;

import io.fdt.core.unit.Backoff;
import java.time.Duration;
import java.util.Optional;

/**
 * When a watch copies: once at the start, then when a source has changed and is quiet, when a
 * period has passed, and again after a failure.
 *
 * <pre>
 *   changed ---> quiet for afterChange, or busy for 10 times as long ---.
 *   every -------------------------------------------------------------+---> due ---> started
 *   failed ----> 1 s, 2 s, 4 s, ... 60 s ------------------------------'        ended ---'
 * </pre>
 *
 * <p>Pure: time is an argument, in nanoseconds of one clock. Not thread-safe.
 */
final class WatchSchedule {
  /** A source that is never quiet is copied after this many times {@code afterChange}. */
  private static final int MOST_PAUSES = 10;

  private final long afterChange;
  private Optional<Duration> every;
  private final long start;

  /**
   * The time of the first change since the last copy, in nanoseconds since the start; null for
   * none.
   */
  private Long firstChange;

  private Long lastChange;
  private Long periodic;
  private Long retry;
  private final Backoff retries = new Backoff(Duration.ofSeconds(1), Duration.ofMinutes(1));

  /**
   * @param afterChange how long a source must be quiet before a copy; at least 0
   * @param every period of copies that need no change; empty for none
   * @param nowNanos when the first copy is due
   */
  WatchSchedule(Duration afterChange, Optional<Duration> every, long nowNanos) {
    this.afterChange = afterChange.toNanos();
    this.every = every;
    this.start = nowNanos;
    this.periodic = 0L;
  }

  /** Sets another period, from the end of the next copy on. */
  void every(Optional<Duration> period) {
    every = period;
  }

  /** Records a change of a source. */
  void changed(long nowNanos) {
    lastChange = nowNanos - start;
    firstChange = firstChange == null ? lastChange : firstChange;
  }

  /** Records the start of a copy, which includes all changes so far. */
  void started() {
    firstChange = null;
    lastChange = null;
    periodic = null;
    retry = null;
  }

  /**
   * Records the end of a copy.
   *
   * @param failed whether the destination may lack something
   */
  void ended(long nowNanos, boolean failed) {
    long now = nowNanos - start;
    periodic = every.map(period -> now + period.toNanos()).orElse(null);
    if (!failed) {
      retries.reset();
      return;
    }
    retry = now + retries.nextNanos();
  }

  /** Nanoseconds until the next copy: 0 when it is due; empty when nothing is planned. */
  Optional<Long> untilDue(long nowNanos) {
    Long due = earlier(periodic, retry);
    if (firstChange != null && retry == null) { // after a failure, changes wait for the retry
      due =
          earlier(due, Math.min(lastChange + afterChange, firstChange + MOST_PAUSES * afterChange));
    }
    return due == null ? Optional.empty() : Optional.of(Math.max(0, due - (nowNanos - start)));
  }

  private static Long earlier(Long one, Long other) {
    if (one == null || other == null) {
      return one == null ? other : one;
    }
    return Math.min(one, other);
  }
}
