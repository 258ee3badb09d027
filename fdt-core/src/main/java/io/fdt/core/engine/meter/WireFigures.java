package io.fdt.core.engine.meter;

/** Encodes shares and counts, and limits those that arrive to plausible ones. Stateless. */
public final class WireFigures {
  /** All of something, in thousandths. */
  public static final int WHOLE = 1000;

  /**
   * The most bytes or packets in about a second, and the most microseconds: no path has so many.
   */
  private static final long MOST = 1L << 50;

  private WireFigures() {}

  /** A share, 0 to 1, in thousandths; what is beyond that is cut. */
  public static int thousandths(double share) {
    return (int) Math.max(0, Math.min(WHOLE, share * WHOLE));
  }

  /** The share that so many thousandths are. */
  public static double share(int thousandths) {
    return thousandths / (double) WHOLE;
  }

  /** Whether an unsigned number of a message is at most so large. */
  public static boolean isWithin(int value, int most) {
    return value >= 0 && value <= most;
  }

  /** Whether a count of a message can be one. */
  public static boolean isWithin(long count) {
    return count >= 0 && count <= MOST;
  }
}
