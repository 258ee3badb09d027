package io.fdt.service.task;

import java.util.Optional;

/**
 * When a recurring task is due. Times are milliseconds since 1970. Pure.
 *
 * @param interval from one time to the next; at least 1
 * @param until the end; 0 for none
 * @param window times outside of it move to its next beginning
 */
public record TimerPlan(long interval, long until, Optional<DailyWindow> window) {
  /** The first time at or after the start; 0 for none. */
  public long first(long start) {
    return kept(start);
  }

  /**
   * The next time after one that was due. Missed times are skipped, so that a service that was off
   * does not run them all at once; the rhythm is kept.
   *
   * @return 0 for no further time
   */
  public long next(long due, long now) {
    long missed = Math.max(0, now - due) / interval;
    return kept(due + (missed + 1) * interval);
  }

  private long kept(long time) {
    long moved = window.map(hours -> hours.move(time)).orElse(time);
    return until != 0 && moved > until ? 0 : moved;
  }
}
