package io.fdt.udt.protocol;

import io.fdt.udt.protocol.packet.ControlPackets;
import io.fdt.udt.protocol.packet.Terms;

/**
 * Detects a path whose MTU has shrunk, and that silently drops long packets: full packets and
 * probes of full length get no answer, while short packets of the peer arrive. Not thread-safe.
 */
final class NarrowPath {
  /** Consecutive timeouts after which the path is probed; fewer are normal. */
  private static final int TIMEOUTS = 3;

  private static final int PROBES = 3;

  private final Terms terms;
  private int unanswered;

  NarrowPath(Terms terms) {
    this.terms = terms;
  }

  /**
   * Handles a timeout.
   *
   * @param timeouts consecutive ones
   * @param silentMicros since the last packet of the peer
   * @return whether long packets are dropped; otherwise a probe may have been sent
   */
  boolean timedOut(long now, int timeouts, long silentMicros, ControlPackets packets) {
    if (terms.segment() <= UdtSettings.SAFE_SEGMENT || timeouts < TIMEOUTS) {
      unanswered = 0;
      return false;
    }
    if (unanswered == PROBES && silentMicros <= 2 * UdtConnection.KEEP_ALIVE_MICROS) {
      return true;
    }
    unanswered = Math.min(PROBES, unanswered + 1);
    packets.sendProbe(now, unanswered);
    return false;
  }

  /** Handles the answer to a probe. */
  void answered() {
    unanswered = 0;
  }
}
