package io.fdt.udt.protocol;

/**
 * The clock of the peer and its count of packets from its acknowledgements, extended so that they
 * do not wrap around. Not thread-safe.
 */
final class PeerClock {
  /**
   * The largest accepted step of the peer's clock: half of the 71 minutes after which it wraps
   * around.
   */
  private static final long MOST_GAP_MICROS = Integer.MAX_VALUE;

  private long micros;
  private long received;
  private long receivedThen;
  private long thenMicros;
  private long heardMicros;
  private int last;
  private boolean known;

  /**
   * Handles an acknowledgement.
   *
   * @param now by this end's clock
   * @param timestamp by the peer's clock
   * @param count distinct packets received by the peer, lowest 32 bits
   * @param countThen the same count when the peer's socket was last empty
   * @param ageMicros time between that moment and the acknowledgement
   */
  void heard(long now, int timestamp, int count, int countThen, int ageMicros) {
    int later = timestamp - last;
    boolean longAgo = now - heardMicros >= MOST_GAP_MICROS;
    if (!known || longAgo) {
      micros += known ? now - heardMicros : 0;
    } else if (later <= 0) {
      return; // it was overtaken by a later one
    } else {
      micros += later;
    }
    known = true;
    last = timestamp;
    heardMicros = now;
    received += Math.max(0, count - (int) received);
    receivedThen = received - Math.max(0, count - countThen);
    thenMicros = micros - Math.max(0, ageMicros);
  }

  /** The peer's time, in microseconds from an arbitrary origin. */
  long micros() {
    return micros;
  }

  /** Distinct packets received by the peer. */
  long received() {
    return received;
  }

  /** Distinct packets received by the peer when its socket was last empty. */
  long receivedThen() {
    return receivedThen;
  }

  /** The time of {@link #receivedThen}, by the peer's clock. */
  long thenMicros() {
    return thenMicros;
  }
}
