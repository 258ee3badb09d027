package io.fdt.core.compress;

/**
 * Whether compressing a block makes the transfer faster: it does when the time that a processor
 * needs for a byte is less than the time that the path needs for the bytes saved.
 *
 * <pre>
 *   cost / threads  &lt;  (1 - ratio) / rate of the path
 * </pre>
 *
 * <p>A sample of a block shows cost and ratio. While compression pays, each block is its own
 * sample. After a block for which it does not, blocks are sent plain, at first one, then up to
 * {@link #MOST_SKIPPED} of them, until the next sample. Not thread-safe. Time is measured by the
 * caller.
 */
final class CompressionPolicy {
  /** Blocks that do not shrink to this share are not worth the receiver's work. */
  static final double SHRINKS = 0.9;

  /** Most blocks between two samples: a sample of 64 KiB in 16 MiB costs below half a percent. */
  static final int MOST_SKIPPED = 15;

  /** Weight of a new measurement in the mean. */
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

  /** The decision about the next block. */
  enum Step {
    /** Send the block plain. */
    LEAVE,
    /** Compress a part of the block first, to measure the gain. */
    SAMPLE,
    /** Compress the block. */
    COMPRESS
  }

  /**
   * Sets the rate of the path.
   *
   * @param bytesPerSecond 0 or less when unknown: then everything that shrinks is compressed
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
   * Records a measurement.
   *
   * @return whether to compress similar blocks
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
