package io.fdt.server.relay;

import io.fdt.core.tuning.Pacer;

/** How fast several connections of a relay are together. Time is an argument. Thread-safe. */
final class RelayPace {
  private final Pacer pacer = new Pacer();

  /**
   * So many bytes have been passed on.
   *
   * @param bytesPerSecond what holds now; 0 for no limit
   */
  synchronized void passed(int bytes, long bytesPerSecond, long nowNanos) {
    pacer.setRate(bytesPerSecond, nowNanos);
    pacer.sent(bytes, nowNanos);
  }

  /** Nanoseconds until more may be passed on; 0 for now. */
  synchronized long nanosToWait(long nowNanos) {
    return pacer.nanosToWait(nowNanos);
  }
}
