package io.fdt.service.task;

/** When a recurring task is due. Times are milliseconds since 1970. Pure. */
public final class TimerPlan {
  private TimerPlan() {}

  /**
   * The next time after one that was due. Times that have passed meanwhile are left out, so that a
   * service that was off does not do them all at once; the rhythm stays.
   *
   * @param interval at least 1
   * @param until the end; 0 for none
   * @return 0 when there is no further time
   */
  public static long next(long due, long interval, long now, long until) {
    long missed = Math.max(0, now - due) / interval;
    long next = due + (missed + 1) * interval;
    return until != 0 && next > until ? 0 : next;
  }
}
