package io.fdt.core.tuning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Offset.offset;

import org.junit.jupiter.api.Test;

class SampleTest {
  private static Sample of(double seconds, long bytes, double share, long roundTrip, long least) {
    return new Sample(
        seconds,
        bytes,
        4,
        bytes,
        bytes / 10,
        roundTrip,
        least,
        share,
        share,
        share,
        share,
        share,
        share,
        share,
        share,
        share,
        false,
        false);
  }

  @Test
  void twoAreOneOfBothTimes() {
    Sample both = of(1, 100, 0.2, 30, 10).and(of(3, 700, 0.6, 50, 20));
    assertThat(both.seconds()).isEqualTo(4);
    assertThat(both.rate()).isEqualTo(200);
    assertThat(both.loss()).isCloseTo(0.1, offset(1e-9));
    assertThat(both.roundTripMicros()).isEqualTo(45);
    assertThat(both.leastRoundTripMicros()).isEqualTo(10);
    assertThat(both.sendBufferShare()).isCloseTo(0.5, offset(1e-9));
    assertThat(both.destinationBusy()).isCloseTo(0.5, offset(1e-9));
  }

  @Test
  void aRoundTripThatIsNotKnownIsNotTheLeast() {
    assertThat(of(1, 1, 0, 0, 0).and(of(1, 1, 0, 30, 30)).leastRoundTripMicros()).isEqualTo(30);
    assertThat(of(1, 1, 0, 30, 30).and(of(1, 1, 0, 0, 0)).leastRoundTripMicros()).isEqualTo(30);
  }

  @Test
  void noSumIsNegative() {
    Sample large =
        new Sample(
            1, Long.MAX_VALUE, 1, Long.MAX_VALUE, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, false, false);
    Sample both = large.and(large);
    assertThat(both.bytes()).isEqualTo(Long.MAX_VALUE);
    assertThat(both.segments()).isEqualTo(Long.MAX_VALUE);
    assertThat(both.retransmits()).isEqualTo(4);
  }
}
