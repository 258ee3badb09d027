package io.fdt.plan.work;

import java.util.HashMap;
import java.util.Map;

/**
 * Finds dead workers: their heartbeat has not changed for the takeover time, by the clock of this
 * machine. Pure; not thread-safe.
 */
public final class WorkerWatch {
  private record Seen(long beat, long sinceNanos) {}

  private final long takeoverNanos;
  private final Map<String, Seen> seen = new HashMap<>();

  public WorkerWatch(long takeoverNanos) {
    this.takeoverNanos = takeoverNanos;
  }

  /**
   * Whether a worker counts as dead now.
   *
   * @param beat the number in its heartbeat; -1 without one
   */
  public boolean isDead(String worker, long beat, long nowNanos) {
    Seen last = seen.get(worker);
    if (last == null || last.beat() != beat) {
      seen.put(worker, new Seen(beat, nowNanos));
      return false;
    }
    return nowNanos - last.sinceNanos() >= takeoverNanos;
  }
}
