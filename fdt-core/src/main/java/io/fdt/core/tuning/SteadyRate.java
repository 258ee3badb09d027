package io.fdt.core.tuning;

/**
 * The mean rate of a number of streams, and the deviation of its measurements: running means, in
 * which a new measurement has a weight of an eighth.
 *
 * <p>Not thread-safe.
 */
final class SteadyRate {
  private static final int MEMORY = 8;

  /** The minimum relative change of a rate. */
  private static final double CHANGE = 0.2;

  /** The minimum change in standard deviations: exceeded by chance in one measurement of 370. */
  private static final double DEVIATIONS = 3;

  private double mean;
  private int count;

  /** The variance relative to the rate; a property of the path, kept for all numbers of streams. */
  private double variance;

  private int differences;

  /** Starts over with another number of streams, or another rate; keeps the deviation. */
  void begin(double rate) {
    mean = rate;
    count = 1;
  }

  /** Adds a measurement. */
  void add(double rate) {
    double difference = (rate - mean) / mean;
    differences = Math.min(MEMORY, differences + 1);
    variance += (difference * difference - variance) / differences;
    count = Math.min(MEMORY, count + 1);
    mean += (rate - mean) / count;
  }

  /** 1 for a rate far above the mean, -1 for far below, 0 otherwise. */
  int compare(double rate) {
    double difference = rate - mean;
    double least = Math.max(CHANGE, DEVIATIONS * deviation()) * mean;
    return difference > least ? 1 : difference < -least ? -1 : 0;
  }

  /** The standard deviation of measurements, relative to the rate. */
  double deviation() {
    return Math.sqrt(variance);
  }
}
