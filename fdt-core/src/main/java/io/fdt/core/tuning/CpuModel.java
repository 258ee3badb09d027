package io.fdt.core.tuning;

import java.util.OptionalInt;

/**
 * The number of connections that the processors of a host can serve, after Kim and Huh (KIISE
 * 2007): the share of one connection falls with the round-trip time by a power law, {@code CU = S *
 * RTT^e}, so {@code PCN = MCU / CU} connections use the whole capacity. Immutable.
 */
public final class CpuModel {
  /** The mean of the three hosts in the paper: -0.9539, -0.9893, -0.9003. */
  static final double EXPONENT = -0.94783;

  /** MCU, as a share of all processors; the rest is for other processes. */
  private static final double MOST_USE = 0.85;

  /** Below this load the use of one connection is unknown. */
  private static final double LEAST_USE = 0.02;

  private final double scale;
  private final double mostUse;

  private CpuModel(double scale, double mostUse) {
    this.scale = scale;
    this.mostUse = mostUse;
  }

  /**
   * A model from one measurement.
   *
   * @param use share of the processors used by one connection, more than 0
   * @param roundTripMillis round-trip time of the measurement, more than 0
   * @param mostUse share for all connections together (MCU), in the unit of {@code use}
   */
  public static CpuModel measured(double use, double roundTripMillis, double mostUse) {
    if (!(use > 0) || !(roundTripMillis > 0) || !(mostUse > 0)) {
      throw new IllegalArgumentException(
          "use=" + use + " roundTripMillis=" + roundTripMillis + " mostUse=" + mostUse);
    }
    return new CpuModel(use / Math.pow(roundTripMillis, EXPONENT), mostUse);
  }

  /**
   * The most streams that the processors of the busier end would serve, from the use by the
   * transfer; empty if this is too low. Other processes are ignored, because they may end.
   */
  public static OptionalInt served(Sample sample) {
    if (sample.ownCpu() < LEAST_USE || sample.streams() == 0 || sample.roundTripMicros() == 0) {
      return OptionalInt.empty();
    }
    double millis = sample.roundTripMicros() / 1000.0;
    return OptionalInt.of(
        measured(sample.ownCpu() / sample.streams(), millis, MOST_USE).connections(millis));
  }

  /** The share of one connection at this round-trip time (CU). */
  public double useOfOne(double roundTripMillis) {
    return scale * Math.pow(roundTripMillis, EXPONENT);
  }

  /** Connections for the highest rate at this round-trip time (PCN), 1 or more. */
  public int connections(double roundTripMillis) {
    return (int) Math.max(1, Math.round(mostUse / useOfOne(roundTripMillis)));
  }
}
