package io.fdt.service.task;

import java.time.Duration;

/** How long a task waits after a fault: 1 s, doubled with each fault, at most 5 min. Pure. */
public final class Backoff {
  private static final long FIRST_MILLIS = 1000;
  private static final long LAST_MILLIS = Duration.ofMinutes(5).toMillis();

  /** 2^9 seconds are more than five minutes already. */
  private static final int MOST_DOUBLINGS = 9;

  private Backoff() {}

  /**
   * The pause in milliseconds. Between half and all of the doubled time: tasks that failed together
   * come back apart, and the same task always after the same time.
   *
   * @param faults so far, at least 1
   */
  public static long pauseMillis(String taskId, int faults) {
    long whole =
        Math.min(LAST_MILLIS, FIRST_MILLIS << Math.min(MOST_DOUBLINGS, Math.max(0, faults - 1)));
    long spread = Math.floorMod((taskId + faults).hashCode(), 1000);
    return whole / 2 + whole / 2 * spread / 1000;
  }
}
