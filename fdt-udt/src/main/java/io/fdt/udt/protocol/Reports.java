package io.fdt.udt.protocol;

import io.fdt.core.model.RangeSet;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * When each missing packet was reported last: one whose repair is overdue is reported again, and no
 * other. Memory: one entry for each report that is not answered whole. Not thread-safe.
 */
final class Reports {
  /** Ranges of one report: two packets full. */
  private static final int MOST_RANGES = 360;

  private record Report(long micros, long from, long until) {}

  private final RangeSet missing;
  private final Deque<Report> reports = new ArrayDeque<>();

  /**
   * @param missing packets that have not come, which changes
   */
  Reports(RangeSet missing) {
    this.missing = missing;
  }

  /** Packets of this range are reported now. */
  void add(long now, long from, long until) {
    reports.add(new Report(now, from, until));
  }

  /** When the oldest report was that still waits; {@link Long#MAX_VALUE} for none. */
  long oldestMicros() {
    Report oldest = reports.peek();
    while (oldest != null && !missing.intersects(oldest.from, oldest.until)) {
      reports.remove();
      oldest = reports.peek();
    }
    return oldest == null ? Long.MAX_VALUE : oldest.micros;
  }

  /** The packets that were reported last at this time or before; they are reported now. */
  RangeSet takeUntil(long micros, long now) {
    RangeSet due = new RangeSet();
    while (oldestMicros() <= micros && due.count() < MOST_RANGES) {
      Report report = reports.remove();
      missing.copyTo(due, report.from, report.until);
      add(now, report.from, report.until);
    }
    return due;
  }
}
