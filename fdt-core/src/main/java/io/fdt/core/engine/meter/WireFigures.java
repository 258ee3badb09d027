package io.fdt.core.engine.meter;

/** Encodes shares and counts, and checks that received ones are plausible. Stateless. */
public final class WireFigures {
  /** A share of 1, in thousandths. */
  public static final int WHOLE = 1000;

  /** The plausible maximum of bytes or packets in about a second, and of microseconds. */
  private static final long MOST = 1L << 50;

  private WireFigures() {}

  /** A share, 0 to 1, in thousandths; clamped to this range. */
  public static int thousandths(double share) {
    return (int) Math.max(0, Math.min(WHOLE, share * WHOLE));
  }

  /** Converts thousandths to a share. */
  public static double share(int thousandths) {
    return thousandths / (double) WHOLE;
  }

  /** Whether an unsigned number of a message is at most this large. */
  public static boolean isWithin(int value, int most) {
    return value >= 0 && value <= most;
  }

  /** Whether a count of a message is plausible. */
  public static boolean isWithin(long count) {
    return count >= 0 && count <= MOST;
  }
}
