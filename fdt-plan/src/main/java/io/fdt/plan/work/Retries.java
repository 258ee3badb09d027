package io.fdt.plan.work;

import io.fdt.plan.UnitState;
import java.util.HashMap;
import java.util.Map;

/**
 * Schedules retries of failed units: after 5 s, 10 s, 20 s, ... at most 5 min from the time when
 * this worker saw the failure. Units that failed before the start of the worker are retried at
 * once. Pure; not thread-safe.
 */
public final class Retries {
  private static final long FIRST_NANOS = 5_000_000_000L;
  private static final long LAST_NANOS = 60 * FIRST_NANOS;

  private record Seen(int attempt, long sinceNanos) {}

  private final int maxAttempts;
  private final Map<String, Seen> seen = new HashMap<>();

  /**
   * @param maxAttempts failures after which a unit is not retried, 1 or more
   */
  public Retries(int maxAttempts) {
    this.maxAttempts = maxAttempts;
  }

  /** Whether the unit is not retried. */
  public boolean isExhausted(UnitState state) {
    return state.hasFailed() && state.failures() >= maxAttempts;
  }

  /**
   * Whether the unit is retried now.
   *
   * @param failedBefore whether it failed before the start of this worker
   */
  public boolean isDue(String unit, UnitState state, boolean failedBefore, long nowNanos) {
    if (!state.hasFailed() || isExhausted(state)) {
      return false;
    }
    if (failedBefore) {
      return true;
    }
    Seen last = seen.get(unit);
    if (last == null || last.attempt() != state.attempt()) {
      seen.put(unit, new Seen(state.attempt(), nowNanos));
      return false;
    }
    int doublings = Math.max(0, Math.min(state.failures() - 1, 6));
    return nowNanos - last.sinceNanos() >= Math.min(FIRST_NANOS << doublings, LAST_NANOS);
  }
}
