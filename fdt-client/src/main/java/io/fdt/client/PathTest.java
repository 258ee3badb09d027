package io.fdt.client;

import io.fdt.core.tuning.Bottleneck;
import io.fdt.core.tuning.Sample;
import java.time.Duration;
import java.util.Optional;

/**
 * The result of a short network test. Immutable.
 *
 * @param direction of the bytes
 * @param streams in use
 * @param elapsed from the beginning to the end, connecting included
 * @param bytesPerSecond after the first second, in which streams ramp up; over the whole test if it
 *     was too short for that
 * @param sample the sender's measurements in that time; empty if the test was too short
 * @param limit the bottleneck: a processor, or part of the network; empty as well
 */
public record PathTest(
    TransferRequest.Direction direction,
    int streams,
    Duration elapsed,
    double bytesPerSecond,
    Optional<Sample> sample,
    Optional<Bottleneck> limit) {
  /** Under load; zero when unknown. */
  public Duration roundTrip() {
    return Duration.ofNanos(1000 * sample.map(Sample::roundTripMicros).orElse(0L));
  }

  /** Share of retransmitted segments, 0 to 1. */
  public double loss() {
    return sample.map(Sample::loss).orElse(0.0);
  }
}
