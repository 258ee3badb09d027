package io.fdt.core.compress;

/**
 * Whether compressing a block makes the transfer faster: it does when the time that a processor
 * needs for a byte is less than the time in which the path would have carried what is saved of it.
 *
 * <pre>
 *   cost / threads  &lt;  (1 - ratio) / rate of the path
 * </pre>
 *
 * <p>A sample of a block tells cost and ratio. While blocks pay, each is its own sample. After one
 * that does not, blocks go as they are, at first one, then up to {@link #MOST_SKIPPED} of them,
 * until the next sample. Not thread-safe. Time is measured by the caller.
 */
final class CompressionPolicy {
  /** What does not shrink to this share is not worth the receiver's work either. */
  static final double SHRINKS = 0.9;

  /**
   * Blocks between two samples at most: a sample of 64 KiB in 16 MiB costs below half a percent.
   */
  static final int MOST_SKIPPED = 15;

  /** Share of a new measurement in the mean. */
  private static final double WEIGHT = 0.25;

  private final int threads;
  private double nanosPerByte;
  private double ratio;
  private double pathRate;
  private boolean pays;
  private int skip;
  private int nextSkip = 1;

  /**
   * @param threads that compress at the same time, 1 or more
   */
  CompressionPolicy(int threads) {
    this.threads = threads;
  }

  /** What may be done with the next block. */
  enum Step {
    /** It goes as it is. */
    LEAVE,
    /** A part of it is compressed first, to see what that gives. */
    SAMPLE,
    /** It is compressed. */
    COMPRESS
  }

  /**
   * The path carries so much now.
   *
   * @param bytesPerSecond 0 or less when that is not known: then what shrinks is compressed
   */
  void pathRate(double bytesPerSecond) {
    pathRate = bytesPerSecond;
  }

  Step next() {
    if (pays) {
      return Step.COMPRESS;
    }
    if (skip > 0) {
      skip--;
      return Step.LEAVE;
    }
    return Step.SAMPLE;
  }

  /**
   * So many bytes became so many in this time.
   *
   * @return whether to compress what is like them
   */
  boolean seen(int plain, int encoded, long nanos) {
    double cost = (double) nanos / plain;
    double shrunk = (double) encoded / plain;
    nanosPerByte = pays ? mean(nanosPerByte, cost) : cost;
    ratio = pays ? mean(ratio, shrunk) : shrunk;
    pays =
        ratio <= SHRINKS
            && (pathRate <= 0 || nanosPerByte / threads < (1 - ratio) * 1e9 / pathRate);
    if (pays) {
      nextSkip = 1;
    } else {
      skip = nextSkip;
      nextSkip = Math.min(2 * nextSkip + 1, MOST_SKIPPED);
    }
    return pays;
  }

  private static double mean(double before, double now) {
    return before + WEIGHT * (now - before);
  }
}
