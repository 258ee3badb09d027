package io.fdt.client;

import io.fdt.core.tuning.Bottleneck;
import io.fdt.core.tuning.Sample;
import java.time.Duration;
import java.util.Optional;

/**
 * What a short test of the network has shown. Immutable.
 *
 * @param direction which way the bytes went
 * @param streams that they went over
 * @param elapsed from the beginning to the end, connecting included
 * @param bytesPerSecond after the first second, in which streams become fast; of all of it where
 *     the test was too short for that
 * @param sample what the sender saw in that time; empty where the test was too short
 * @param limit what limited it: a processor, or something of the network; empty as well
 */
public record PathTest(
    TransferRequest.Direction direction,
    int streams,
    Duration elapsed,
    double bytesPerSecond,
    Optional<Sample> sample,
    Optional<Bottleneck> limit) {
  /** Without queues, as far as it was seen; zero where it was not. */
  public Duration leastRoundTrip() {
    return micros(sample.map(Sample::leastRoundTripMicros).orElse(0L));
  }

  /** Under load; zero where it was not seen. */
  public Duration roundTrip() {
    return micros(sample.map(Sample::roundTripMicros).orElse(0L));
  }

  private static Duration micros(long micros) {
    return Duration.ofNanos(micros * 1000);
  }

  /** Share of segments that were sent again, 0 to 1. */
  public double loss() {
    return sample.map(Sample::loss).orElse(0.0);
  }
}
