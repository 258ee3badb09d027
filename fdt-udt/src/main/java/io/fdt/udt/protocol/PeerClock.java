package io.fdt.udt.protocol;

/**
 * The clock of the peer and its count of packets, as its acknowledgements give them, without their
 * wrapping around. Not thread-safe.
 */
final class PeerClock {
  /** The peer's clock wraps around after 71 minutes: it is believed for half of that. */
  private static final long MOST_GAP_MICROS = Integer.MAX_VALUE;

  private long micros;
  private long received;
  private long receivedThen;
  private long thenMicros;
  private long heardMicros;
  private int last;
  private boolean known;

  /**
   * An acknowledgement has come.
   *
   * @param now by this end's clock
   * @param timestamp by the peer's
   * @param count different packets that it has received, the lowest 32 bits
   * @param countThen those of them that it had when it had last read all that was there
   * @param ageMicros how long before the acknowledgement that was
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

  /** The peer's time, in microseconds from any beginning. */
  long micros() {
    return micros;
  }

  /** Different packets that it has received. */
  long received() {
    return received;
  }

  /** Different packets that it had received when it had last read all that was there. */
  long receivedThen() {
    return receivedThen;
  }

  /** When that was, by the peer's time. */
  long thenMicros() {
    return thenMicros;
  }
}
