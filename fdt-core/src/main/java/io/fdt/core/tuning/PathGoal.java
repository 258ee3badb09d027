package io.fdt.core.tuning;

import io.fdt.core.unit.NumberText;
import java.time.Duration;
import java.util.Locale;

/**
 * The goal of a path. Immutable.
 *
 * @param bytesPerSecond 1 or more, of all streams together
 * @param roundTrip more than zero
 */
public record PathGoal(long bytesPerSecond, Duration roundTrip) {
  /** 1 Gbit/s: the goal unless the user sets a higher one, or a higher rate was measured. */
  private static final long FIRST_RATE = 125_000_000;

  /** The factor between two goals. */
  private static final int STEP = 10;

  /** The highest goal, 1 Tbit/s. */
  private static final long LAST_RATE = 1000 * FIRST_RATE;

  public PathGoal {
    if (bytesPerSecond < 1 || roundTrip.isNegative() || roundTrip.isZero()) {
      throw new IllegalArgumentException(
          "bytesPerSecond=" + bytesPerSecond + " roundTrip=" + roundTrip);
    }
  }

  /** The first of 1, 10, 100 and 1000 Gbit/s that is clearly above the measured rate. */
  public static long rateAbove(double bytesPerSecond) {
    long rate = FIRST_RATE;
    while (rate < LAST_RATE && bytesPerSecond > 0.95 * rate) {
      rate *= STEP;
    }
    return rate;
  }

  /** The bandwidth-delay product in bytes: the bytes in flight that keep the path full. */
  public long bytesUnderWay() {
    return (long) Math.ceil(bytesPerSecond * seconds(roundTrip));
  }

  /** For people: "119 MiB/s (1.00 Gbit/s) at 150 ms". */
  public String text() {
    return NumberText.networkRate(bytesPerSecond) + " at " + millis(roundTrip);
  }

  /** A round trip for display: "150 ms", "0.31 ms", "0.042 ms". */
  public static String millis(Duration roundTrip) {
    double millis = seconds(roundTrip) * 1000;
    int decimals = millis >= 9.95 ? 0 : millis >= 0.995 ? 1 : millis >= 0.0995 ? 2 : 3;
    return String.format(Locale.US, "%." + decimals + "f ms", millis);
  }

  static double seconds(Duration duration) {
    return duration.toNanos() / 1e9;
  }
}
