package io.fdt.server.relay;

import io.fdt.core.tuning.rate.Pacer;

/** Limits the rate of several relayed connections. Time is an argument. Thread-safe. */
final class RelayPace {
  private final Pacer pacer = new Pacer();

  /**
   * Counts forwarded bytes.
   *
   * @param bytesPerSecond the current limit; 0 for none
   */
  synchronized void passed(int bytes, long bytesPerSecond, long nowNanos) {
    pacer.setRate(bytesPerSecond, nowNanos);
    pacer.sent(bytes, nowNanos);
  }

  /** Nanoseconds until more bytes may be forwarded; 0 for now. */
  synchronized long nanosToWait(long nowNanos) {
    return pacer.nanosToWait(nowNanos);
  }
}
