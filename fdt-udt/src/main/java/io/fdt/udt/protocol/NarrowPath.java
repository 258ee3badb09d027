package io.fdt.udt.protocol;

import io.fdt.udt.protocol.packet.ControlPackets;
import io.fdt.udt.protocol.packet.Terms;

/**
 * Detects a path that silently drops long packets since it got narrower: nothing of full length
 * arrives, probes of that length have no answer, and short packets of the peer come. Not
 * thread-safe.
 */
final class NarrowPath {
  /** Looks in a row at which nothing had arrived; fewer are nothing unusual. */
  private static final int TIMEOUTS = 3;

  private static final int PROBES = 3;

  private final Terms terms;
  private int unanswered;

  NarrowPath(Terms terms) {
    this.terms = terms;
  }

  /**
   * Nothing has arrived in time, so many times in a row.
   *
   * @param silentMicros since the peer said something
   * @return whether long packets pass no more; otherwise a probe may have been sent
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

  /** A probe has its answer. */
  void answered() {
    unanswered = 0;
  }
}
