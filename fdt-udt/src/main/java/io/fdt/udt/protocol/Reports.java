package io.fdt.udt.protocol;

import io.fdt.core.model.RangeSet;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The time of the last report of each missing packet: only packets whose retransmission is overdue
 * are reported again. Memory: one entry for each report that is not completely answered. Not
 * thread-safe.
 */
final class Reports {
  /** The most ranges of one report: two full packets. */
  private static final int MOST_RANGES = 360;

  private record Report(long micros, long from, long until) {}

  private final RangeSet missing;
  private final Deque<Report> reports = new ArrayDeque<>();

  /**
   * @param missing the missing packets, which change
   */
  Reports(RangeSet missing) {
    this.missing = missing;
  }

  /** Records that packets of this range are reported now. */
  void add(long now, long from, long until) {
    reports.add(new Report(now, from, until));
  }

  /** The time of the oldest report without a complete answer; {@link Long#MAX_VALUE} for none. */
  long oldestMicros() {
    Report oldest = reports.peek();
    while (oldest != null && !missing.intersects(oldest.from, oldest.until)) {
      reports.remove();
      oldest = reports.peek();
    }
    return oldest == null ? Long.MAX_VALUE : oldest.micros;
  }

  /**
   * Returns the packets last reported at this time or before, and records that they are reported
   * now.
   */
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
