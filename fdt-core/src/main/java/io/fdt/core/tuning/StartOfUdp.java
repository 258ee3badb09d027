package io.fdt.core.tuning;

import java.util.concurrent.TimeUnit;

/**
 * Whether streams that have moved to UDP get what their start allows, from a look at the bytes that
 * have arrived every quarter of a second. UDP begins slowly: what a round trip brings is known one
 * round trip later. So it is compared with the lesser of two things: what TCP carried, and a start
 * that sends {@link #FIRST_PACKETS} on each stream and twice as much in each round trip.
 *
 * <pre>
 *   arrived in the last half second  &lt;  half of min(TCP's rate x 0.5 s, start(t) - start(t - 0.5 s))
 *   start(t) = streams x 32 packets x (2^rounds - 1)      rounds = (t - 50 ms) / (round trip + 20 ms)
 * </pre>
 *
 * <p>A start triples, nearly, and a packet may be longer: the bound is a low one. Looks before 0.75
 * s decide nothing, so that bytes of the time before the move do not count. Pure; not thread-safe.
 */
final class StartOfUdp {
  /** Between two looks. */
  static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  private static final int FIRST_LOOK = 3;

  /** A look and the one this many before it: half a second. */
  private static final int SPAN = 2;

  /** {@code RateControl} sends so many before the first answer. */
  private static final int FIRST_PACKETS = 32;

  /** The packet of the shortest segments. */
  private static final int PACKET_BYTES = 1232;

  /** An acknowledgement may wait for 10 ms, at both of its ends. */
  private static final double ROUND_SECONDS = 0.020;

  /** Figures of streams are so old at most. */
  private static final double AGE_SECONDS = 0.050;

  private static final double HELD_BACK = 0.5;
  private static final int MOST_ROUNDS = 40;

  private final double bytesPerSecond;
  private final double roundSeconds;
  private final double firstBytes;
  private final long[] arrived = new long[SPAN];
  private int looks;

  /**
   * @param bytesPerSecond what TCP carried
   * @param arrivedBytes over UDP until now
   */
  StartOfUdp(double bytesPerSecond, double roundTripSeconds, int streams, long arrivedBytes) {
    this.bytesPerSecond = bytesPerSecond;
    this.roundSeconds = roundTripSeconds + ROUND_SECONDS;
    this.firstBytes = (double) streams * FIRST_PACKETS * PACKET_BYTES;
    this.arrived[0] = arrivedBytes;
  }

  /**
   * Takes a look, {@link #LOOK_NANOS} after the last one, or later where the host is loaded: how
   * late it is does not count, because what sends and receives may have been as late.
   *
   * @param arrivedBytes over UDP until now
   * @return bytes that are too few for half a second; below 0 when they are enough, or nothing is
   *     known yet
   */
  long tooFew(long arrivedBytes) {
    looks++;
    long brought = Math.max(0, arrivedBytes - arrived[looks % SPAN]);
    arrived[looks % SPAN] = arrivedBytes;
    if (looks < FIRST_LOOK) {
      return -1;
    }
    double seconds = seconds();
    double span = SPAN * LOOK_NANOS / 1e9;
    double due = Math.min(bytesPerSecond * span, start(seconds) - start(seconds - span));
    return brought < HELD_BACK * due ? brought : -1;
  }

  /** How long it has gone on, where no look was late. */
  double seconds() {
    return looks * LOOK_NANOS / 1e9;
  }

  private double start(double seconds) {
    double rounds = Math.floor((seconds - AGE_SECONDS) / roundSeconds);
    return firstBytes * (Math.pow(2, Math.max(0, Math.min(MOST_ROUNDS, rounds))) - 1);
  }
}
