package io.fdt.service.task;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BackoffTest {
  @Test
  void pausesDoubleUpToFiveMinutes() {
    for (int faults = 1; faults < 100; faults++) {
      long whole = Math.min(300_000, 1000L << Math.min(20, faults - 1));
      assertThat(Backoff.pauseMillis("task", faults)).isBetween(whole / 2, whole);
    }
  }

  @Test
  void tasksThatFailTogetherComeBackApart() {
    assertThat(Backoff.pauseMillis("a", 8)).isNotEqualTo(Backoff.pauseMillis("b", 8));
    assertThat(Backoff.pauseMillis("a", 8)).isEqualTo(Backoff.pauseMillis("a", 8));
  }
}
