package io.fdt.service.run;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RatesTest {
  private final Rates rates = new Rates();

  @Test
  void nothingIsKnownOfATaskThatHasNotRunHere() {
    assertThat(rates.of("x").points()).isEmpty();
  }

  @Test
  void eachHalfSecondIsOnePoint() {
    rates.add("x", 1000, 10);
    rates.add("x", 1100, 30);
    rates.add("x", 1500, 40);
    rates.add("x", 3000, 50);

    Rates.Points points = rates.of("x");
    assertThat(points.beginMillis()).isEqualTo(1000);
    assertThat(points.widthMillis()).isEqualTo(500);
    assertThat(points.points()).containsExactly(20L, 40L, 40L, 40L, 50L);
  }

  @Test
  void betweenTwoAttemptsTheRateIsZero() {
    rates.add("x", 0, 10);
    rates.add("x", 500, 10);
    rates.stopped("x", 600);
    rates.add("x", 2500, 20);
    rates.stopped("y", 0);

    assertThat(rates.of("x").points()).containsExactly(10L, 10L, 0L, 0L, 0L, 20L);
    assertThat(rates.of("y").points()).isEmpty();
  }

  @Test
  void aLongTaskHasTheSameNumberOfPointsAndItsWholeLife() {
    for (long second = 0; second < 7 * 86400; second += 10) {
      rates.add("x", 1000 * second, second);
    }

    Rates.Points points = rates.of("x");
    assertThat(points.points()).hasSizeBetween(300, 601).isSorted();
    assertThat(points.widthMillis() * points.points().size()).isBetween(604_000_000L, 610_000_000L);
    assertThat(points.points().get(0)).isLessThan(2000);
  }

  @Test
  void aClockThatJumpsBackOrFarAheadDoesNoHarm() {
    rates.add("x", 1_000_000, 1);
    rates.add("x", 0, 3);
    assertThat(rates.of("x").points()).containsExactly(2L);
    rates.add("x", 1_000_000 + 10L * 365 * 86400 * 1000, 4);
    assertThat(rates.of("x").points()).hasSizeLessThan(602).endsWith(4L);
  }

  @Test
  void onlyTheLastTasksAreKept() {
    for (int i = 0; i < 1000; i++) {
      rates.add("task" + i, 0, 1);
    }
    assertThat(rates.of("task0").points()).isEmpty();
    assertThat(rates.of("task999").points()).containsExactly(1L);
  }
}
