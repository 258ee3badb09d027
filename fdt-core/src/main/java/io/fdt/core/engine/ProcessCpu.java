package io.fdt.core.engine;

import java.time.Duration;

/**
 * How busy this process keeps the machine's processors. Not thread-safe: confined to the event loop
 * of a session.
 */
final class ProcessCpu {
  private long lastNanos;
  private Duration last = total();

  ProcessCpu(long nowNanos) {
    lastNanos = nowNanos;
  }

  private static Duration total() {
    return ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO);
  }

  /** Share of all processors since the last call, 0 to 1. */
  double take(long nowNanos) {
    Duration now = total();
    double elapsed = Math.max(1, nowNanos - lastNanos);
    double share = now.minus(last).toNanos() / elapsed / Runtime.getRuntime().availableProcessors();
    last = now;
    lastNanos = nowNanos;
    return Math.max(0, Math.min(1, share));
  }
}
