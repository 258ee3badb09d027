package io.fdt.core.tuning;

import java.util.Random;

/**
 * A path, and what else limits a transfer over it, in virtual time: each call of {@link #second} is
 * one second later.
 */
final class SimulatedPath {
  /** 1 Gbit/s in bytes. */
  static final double GIGABIT = 125e6;

  private static final double CORRELATION = 0.5;

  long roundTripMicros = 150_000;

  /** What the path carries, bytes per second. */
  double capacity = GIGABIT;

  /** What one stream can have under way, bytes. */
  double window = 3.6e6;

  /** What congestion control lets one stream send, bytes per second. */
  double rateOfOne = Double.MAX_VALUE;

  /** Share of segments that get lost by chance. */
  double loss;

  /** Streams of somebody else who takes his share. */
  int others;

  double sourceDisk = Double.MAX_VALUE;
  double destinationDisk = Double.MAX_VALUE;
  double rateLimit = Double.MAX_VALUE;

  /** Share of the processors that a byte per second takes, and that each stream takes besides. */
  double cpuOfRate;

  double cpuOfStream;

  /** Of its processors, that other things use. */
  double foreignCpu;

  /** Nothing gets through. */
  boolean outage;

  /** How much the rate of one second differs from another's by chance, as a share of it. */
  double noise;

  private final Random random;
  private double chance;
  private double rate;

  SimulatedPath() {
    this(1);
  }

  SimulatedPath(long seed) {
    random = new Random(seed);
  }

  /** What happens in the next second with so many streams. */
  Sample second(int streams) {
    double ofStreams = streams * Math.min(window * 1e6 / roundTripMicros, rateOfOne);
    double share = capacity * streams / (streams + others);
    double cpuLeft = Math.max(0.01, 1 - streams * cpuOfStream);
    double ofCpu = cpuOfRate == 0 ? Double.MAX_VALUE : cpuLeft / cpuOfRate;
    double network = Math.min(ofStreams, share);
    double target =
        Math.min(
            Math.min(network, ofCpu), Math.min(Math.min(sourceDisk, destinationDisk), rateLimit));
    // Streams get to their rate within a few round trips.
    rate += (target - rate) * (1 - Math.exp(-1e6 / (3.0 * roundTripMicros)));
    boolean full = ofStreams > share;
    double lost = loss + (full ? 1e-6 * streams : 0);
    long segments = (long) (rate / 1448);
    boolean ofSource = target == sourceDisk;
    // What one second differs by, the next one does by half.
    chance =
        CORRELATION * chance + Math.sqrt(1 - CORRELATION * CORRELATION) * random.nextGaussian();
    double moved = outage ? 0 : rate * Math.max(0.05, 1 + noise * chance);
    double own = Math.min(1, rate * cpuOfRate + streams * cpuOfStream);
    return new Sample(
        1,
        (long) moved,
        streams,
        segments,
        Math.round(segments * lost),
        full ? roundTripMicros * 6 / 5 : roundTripMicros,
        roundTripMicros,
        0,
        target == ofStreams && rateOfOne == Double.MAX_VALUE ? 0.9 : 0,
        ofSource ? 0.06 : 0.95,
        target == destinationDisk ? 0.8 : 0.01,
        ofSource ? 1 : 0.2,
        target == destinationDisk ? 1 : 0.2,
        Math.min(1, own + foreignCpu),
        0,
        own,
        target == rateLimit,
        false);
  }
}
