package io.fdt.service.task;

import io.fdt.core.unit.Backoff;
import java.time.Duration;

/** The pause of a task after a fault. Pure. */
public final class FaultPause {
  private static final Backoff PAUSES = new Backoff(Duration.ofSeconds(1), Duration.ofMinutes(5));

  private FaultPause() {}

  /**
   * The pause in milliseconds, the same for the same task and fault.
   *
   * @param faults so far, at least 1
   */
  public static long millis(String taskId, int faults) {
    int thousandths = Math.floorMod((taskId + faults).hashCode(), 1000);
    return PAUSES.nanosAfter(faults, bound -> bound / 1000 * thousandths) / 1_000_000;
  }
}
