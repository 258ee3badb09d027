package io.fdt.plan.work;

import io.fdt.plan.UnitState;
import java.util.HashMap;
import java.util.Map;

/**
 * When a unit that failed is tried again: after 5 s, 10 s, 20 s, ... at most 5 min, counted from
 * when this worker saw the failure. Units that failed before the worker began are tried at once.
 * Pure; not thread-safe.
 */
public final class Retries {
  private static final long FIRST_NANOS = 5_000_000_000L;
  private static final long LAST_NANOS = 60 * FIRST_NANOS;

  private record Seen(int attempt, long sinceNanos) {}

  private final int maxAttempts;
  private final Map<String, Seen> seen = new HashMap<>();

  /**
   * @param maxAttempts failures after which a unit is left alone, 1 or more
   */
  public Retries(int maxAttempts) {
    this.maxAttempts = maxAttempts;
  }

  /** Whether it is not tried again. */
  public boolean isExhausted(UnitState state) {
    return state.hasFailed() && state.failures() >= maxAttempts;
  }

  /**
   * Whether it is tried again now.
   *
   * @param failedBefore whether it had failed when this worker began
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
