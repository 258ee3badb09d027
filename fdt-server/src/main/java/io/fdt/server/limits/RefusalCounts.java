package io.fdt.server.limits;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.metrics.LineLimit;
import java.util.EnumMap;
import java.util.Map;

/** Counts refused clients and limits the log lines about them. Thread-safe. */
public final class RefusalCounts {
  /** Log lines per second about refused clients. */
  private static final int LINES_PER_SECOND = 10;

  private final LineLimit lines = new LineLimit(LINES_PER_SECOND);
  private final Map<ErrorCode, Long> counts = new EnumMap<>(ErrorCode.class);

  public synchronized void count(ErrorCode why) {
    counts.merge(why, 1L, Long::sum);
  }

  /**
   * Counts a refusal, and requests a log line.
   *
   * @return as {@link LineLimit#take}
   */
  public long countForLog(ErrorCode why, long nowNanos) {
    count(why);
    return lines.take(nowNanos);
  }

  public synchronized Map<ErrorCode, Long> counts() {
    return new EnumMap<>(counts);
  }
}
