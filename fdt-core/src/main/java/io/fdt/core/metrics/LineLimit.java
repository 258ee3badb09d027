package io.fdt.core.metrics;

/**
 * Limits log lines per second and counts those dropped, so that a peer can fill neither disk nor
 * screen. Time is an argument. Any thread.
 */
public final class LineLimit {
  private static final long SECOND_NANOS = 1_000_000_000;

  private final int perSecond;
  private boolean begun;
  private long secondStartNanos;
  private int shown;
  private long hidden;

  /**
   * @param perSecond lines allowed in one second
   */
  public LineLimit(int perSecond) {
    this.perSecond = perSecond;
  }

  /** The end of a line that says how many were dropped; empty when none was. */
  public static String more(long dropped) {
    return dropped == 0 ? "" : " more=" + dropped;
  }

  /**
   * Asks for a line.
   *
   * @return -1 to drop it; otherwise the number of lines dropped since the last one written
   */
  public synchronized long take(long nowNanos) {
    if (!begun || nowNanos - secondStartNanos >= SECOND_NANOS) {
      begun = true;
      secondStartNanos = nowNanos;
      shown = 0;
    }
    if (shown >= perSecond) {
      hidden++;
      return -1;
    }
    shown++;
    long before = hidden;
    hidden = 0;
    return before;
  }
}
