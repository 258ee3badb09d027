package io.fdt.service.run;

/** The rate of a counter over the last seconds, smoothed. Confined to one thread. */
final class TaskRate {
  /** Weight of the newest second. */
  private static final double WEIGHT = 0.4;

  private static final double NANOS = 1e9;

  private long lastBytes = -1;
  private long lastNanos;
  private double rate;

  /** Records a value; returns the rate in bytes per second. */
  long at(long bytes, long nowNanos) {
    if (lastBytes < 0) {
      lastBytes = bytes;
      lastNanos = nowNanos;
      return 0;
    }
    double seconds = (nowNanos - lastNanos) / NANOS;
    if (seconds > 0) {
      double now = Math.max(0, bytes - lastBytes) / seconds;
      double weight = 1 - Math.pow(1 - WEIGHT, seconds);
      rate = rate == 0 ? now : rate + weight * (now - rate);
      lastBytes = bytes;
      lastNanos = nowNanos;
    }
    return Math.round(rate);
  }
}
