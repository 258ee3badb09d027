package io.fdt.core.unit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class RateWindowTest {
  private static final long SECOND = 1_000_000_000L;

  private final RateWindow meter = new RateWindow(Duration.ofSeconds(3));

  @Test
  void knowsNothingAtFirst() {
    assertThat(meter.bytesPerSecond()).isZero();
    meter.add(7 * SECOND, 100);
    assertThat(meter.bytesPerSecond()).isZero();
    meter.add(7 * SECOND, 200);
    assertThat(meter.bytesPerSecond()).isZero();
  }

  @Test
  void isTheRateSinceTheStartWhileThatIsShort() {
    meter.add(0, 0);
    meter.add(2 * SECOND, 100);
    assertThat(meter.bytesPerSecond()).isEqualTo(50);
  }

  @Test
  void forgetsWhatIsOld() {
    for (int tenth = 0; tenth <= 200; tenth++) {
      long bytes = tenth <= 100 ? tenth * 1000L : 100_000 + (tenth - 100) * 10L;
      meter.add(tenth * SECOND / 10, bytes);
    }
    assertThat(meter.bytesPerSecond()).isCloseTo(100, within(1e-6));
  }

  @Test
  void fallsToZeroWhenNothingMoves() {
    meter.add(0, 0);
    for (int second = 1; second <= 5; second++) {
      meter.add(second * SECOND, 500);
    }
    assertThat(meter.bytesPerSecond()).isZero();
  }

  @Test
  void bridgesAGapThatIsLongerThanTheWindow() {
    meter.add(0, 0);
    meter.add(10 * SECOND, 1000);
    assertThat(meter.bytesPerSecond()).isEqualTo(100);
    meter.add(20 * SECOND, 1000);
    assertThat(meter.bytesPerSecond()).isZero();
  }

  @Test
  void clocksMayWrap() {
    meter.add(Long.MAX_VALUE - SECOND / 2 + 1, 0);
    meter.add(Long.MIN_VALUE + SECOND / 2, 100);
    assertThat(meter.bytesPerSecond()).isCloseTo(100, within(0.001));
  }
}
