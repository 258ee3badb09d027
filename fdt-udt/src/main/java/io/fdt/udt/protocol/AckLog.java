package io.fdt.udt.protocol;

/**
 * The acknowledgements that this end has sent: each has a number, which the peer returns at once,
 * so that this end can measure the round-trip time. Not thread-safe.
 */
final class AckLog {
  /** The number of kept acknowledgements, a power of two. */
  private static final int KEPT = 512;

  private final long[] sentMicros = new long[KEPT];
  private int number;
  private int confirmed;
  private long roundTrip;
  private long lastRoundTrip;
  private long variance;

  /**
   * @param roundTripMicros measured by the handshake; 0 when unknown
   */
  AckLog(long roundTripMicros) {
    this(roundTripMicros, 0);
  }

  /**
   * @param number the number before the first one
   */
  AckLog(long roundTripMicros, int number) {
    this.number = number;
    this.confirmed = number;
    this.roundTrip = roundTripMicros > 0 ? roundTripMicros : 100_000;
    this.variance = roundTrip / 2;
  }

  /** The number for an acknowledgement sent now. */
  int sent(long now) {
    number++;
    sentMicros[number & (KEPT - 1)] = now;
    return number;
  }

  /** Records that the peer has received an acknowledgement. */
  void confirmed(long now, int which) {
    // Differences, because the numbers wrap around.
    int age = number - which;
    if (which - confirmed <= 0 || age < 0 || age >= KEPT) {
      return;
    }
    long sample = Math.max(1, now - sentMicros[which & (KEPT - 1)]);
    if (lastRoundTrip == 0) {
      roundTrip = sample;
      variance = sample / 2;
    } else {
      variance = (3 * variance + Math.abs(sample - roundTrip)) / 4;
      roundTrip = (7 * roundTrip + sample) / 8;
    }
    lastRoundTrip = sample;
    confirmed = which;
  }

  /** Whether the peer has received the last acknowledgement. */
  boolean isConfirmed() {
    return confirmed == number;
  }

  long roundTripMicros() {
    return roundTrip;
  }

  /** The last round-trip time; 0 for none. */
  long lastRoundTripMicros() {
    return lastRoundTrip;
  }

  /** The timeout of an answer. */
  long patienceMicros() {
    return roundTrip + 4 * variance + UdtConnection.SYN_MICROS;
  }
}
