package io.fdt.core.udt;

/**
 * The acknowledgements that this end has sent: each has a number, which the peer returns at once,
 * so that this end measures the round trip time. Not thread-safe.
 */
final class AckLog {
  private static final int KEPT = 512;

  private final long[] sentMicros = new long[KEPT];
  private int number;
  private int confirmed;
  private long roundTrip;
  private long lastRoundTrip;
  private long variance;

  /**
   * @param roundTripMicros as the handshake has seen it; 0 unknown
   */
  AckLog(long roundTripMicros) {
    this.roundTrip = roundTripMicros > 0 ? roundTripMicros : 100_000;
    this.variance = roundTrip / 2;
  }

  /** The number of an acknowledgement that leaves now. */
  int sent(long now) {
    number++;
    sentMicros[number % KEPT] = now;
    return number;
  }

  /** The peer has received it. */
  void confirmed(long now, int which) {
    if (which <= confirmed || which > number || which <= number - KEPT) {
      return;
    }
    long sample = Math.max(1, now - sentMicros[which % KEPT]);
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

  /** Whether the peer has the last one. */
  boolean isConfirmed() {
    return confirmed == number;
  }

  long roundTripMicros() {
    return roundTrip;
  }

  /** The last sample; 0 for none. */
  long lastRoundTripMicros() {
    return lastRoundTrip;
  }

  long varianceMicros() {
    return variance;
  }

  /** How long an answer may take. */
  long patienceMicros() {
    return roundTrip + 4 * variance + UdtConnection.SYN_MICROS;
  }
}
