package io.fdt.core.tuning;

import java.util.concurrent.TimeUnit;

/**
 * Checks every quarter of a second whether streams that have moved to UDP receive as many bytes as
 * their start allows. UDP starts slowly, and the bytes of a round trip are known one round trip
 * later. So the rate is compared with the lower of two: the rate of TCP, and a start with {@link
 * #FIRST_PACKETS} on each stream that doubles in each round trip.
 *
 * <pre>
 *   arrived in the last half second  &lt;  half of min(TCP's rate x 0.5 s, start(t) - start(t - 0.5 s))
 *   start(t) = streams x 32 packets x (2^rounds - 1)      rounds = (t - 50 ms) / (round trip + 20 ms)
 * </pre>
 *
 * <p>The bound is low: a real start nearly triples, and packets may be longer. Checks before 0.75 s
 * are ignored, so that bytes from before the move do not count. Pure; not thread-safe.
 */
final class StartOfUdp {
  /** The interval of checks. */
  static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  private static final int FIRST_LOOK = 3;

  /** The number of intervals compared: half a second. */
  private static final int SPAN = 2;

  /** Packets that {@code RateControl} sends before the first answer. */
  private static final int FIRST_PACKETS = 32;

  /** The smallest packet with full segments. */
  private static final int PACKET_BYTES = 1232;

  /** The maximum delay of an acknowledgement: 10 ms at each end. */
  private static final double ROUND_SECONDS = 0.020;

  /** The maximum age of the figures of streams. */
  private static final double AGE_SECONDS = 0.050;

  private static final double HELD_BACK = 0.5;
  private static final int MOST_ROUNDS = 40;

  private final double bytesPerSecond;
  private final double roundSeconds;
  private final double firstBytes;
  private final long[] arrived = new long[SPAN];
  private int looks;

  /**
   * @param bytesPerSecond the rate of TCP
   * @param arrivedBytes over UDP until now
   */
  StartOfUdp(double bytesPerSecond, double roundTripSeconds, int streams, long arrivedBytes) {
    this.bytesPerSecond = bytesPerSecond;
    this.roundSeconds = roundTripSeconds + ROUND_SECONDS;
    this.firstBytes = (double) streams * FIRST_PACKETS * PACKET_BYTES;
    this.arrived[0] = arrivedBytes;
  }

  /**
   * Checks the bytes, {@link #LOOK_NANOS} after the last check, or later on a loaded host: the
   * delay is ignored, because sending and receiving may be delayed equally.
   *
   * @param arrivedBytes over UDP until now
   * @return the bytes of half a second if these are too few; below 0 if they are enough, or not
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

  /** The elapsed time, if no check was late. */
  double seconds() {
    return looks * LOOK_NANOS / 1e9;
  }

  private double start(double seconds) {
    double rounds = Math.floor((seconds - AGE_SECONDS) / roundSeconds);
    return firstBytes * (Math.pow(2, Math.max(0, Math.min(MOST_ROUNDS, rounds))) - 1);
  }
}
