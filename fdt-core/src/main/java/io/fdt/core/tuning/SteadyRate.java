package io.fdt.core.tuning;

/**
 * The rate that a number of streams holds, and by how much measurements of the same thing differ:
 * running means, in which the newest measurement counts an eighth.
 *
 * <p>Not thread-safe.
 */
final class SteadyRate {
  private static final int MEMORY = 8;

  /** A rate that differs by less is the same situation. */
  private static final double CHANGE = 0.2;

  /** Three deviations are no chance: one measurement in 370 if they are normal. */
  private static final double DEVIATIONS = 3;

  private double mean;
  private int count;

  /** The square of the deviation, as a share of the rate: of the path, whatever the number. */
  private double variance;

  private int differences;

  /** Another number is held, or another rate; how much measurements differ stays as it was. */
  void begin(double rate) {
    mean = rate;
    count = 1;
  }

  /** The same was measured again. */
  void add(double rate) {
    double difference = (rate - mean) / mean;
    differences = Math.min(MEMORY, differences + 1);
    variance += (difference * difference - variance) / differences;
    count = Math.min(MEMORY, count + 1);
    mean += (rate - mean) / count;
  }

  /** 1 for far more than what is held, -1 for far less, 0 for the same. */
  int compare(double rate) {
    double difference = rate - mean;
    double least = Math.max(CHANGE, DEVIATIONS * deviation()) * mean;
    return difference > least ? 1 : difference < -least ? -1 : 0;
  }

  /** By how much measurements differ, as a share of the rate. */
  double deviation() {
    return Math.sqrt(variance);
  }
}
