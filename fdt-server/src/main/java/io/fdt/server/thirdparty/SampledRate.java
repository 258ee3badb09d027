package io.fdt.server.thirdparty;

import java.util.concurrent.TimeUnit;

/** How fast a session is, from looks at it at equal intervals. One thread looks; any may read. */
final class SampledRate {
  /** Looks from one sample to the next. */
  private final int looks;

  private final long intervalNanos;
  private int looked;
  private long lastBytes;
  private volatile long bytesPerSecond;

  /**
   * @param intervalNanos from one look to the next
   */
  SampledRate(int looks, long intervalNanos) {
    this.looks = looks;
    this.intervalNanos = intervalNanos;
  }

  void look(long bytes) {
    if (++looked >= looks) {
      looked = 0;
      bytesPerSecond = (bytes - lastBytes) * TimeUnit.SECONDS.toNanos(1) / (looks * intervalNanos);
      lastBytes = bytes;
    }
  }

  /** Rate of the last sample. */
  long bytesPerSecond() {
    return bytesPerSecond;
  }

  /** Over the whole time, in bytes per second. */
  static long average(long bytes, long elapsedNanos) {
    long millis = Math.max(1, TimeUnit.NANOSECONDS.toMillis(elapsedNanos));
    return bytes * TimeUnit.SECONDS.toMillis(1) / millis;
  }
}
