package io.fdt.service.task;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FaultPauseTest {
  @Test
  void pausesDoubleUpToFiveMinutes() {
    for (int faults = 1; faults < 100; faults++) {
      long whole = Math.min(300_000, 1000L << Math.min(20, faults - 1));
      assertThat(FaultPause.millis("task", faults)).isBetween(whole / 2, whole);
    }
  }

  @Test
  void tasksThatFailTogetherComeBackApart() {
    assertThat(FaultPause.millis("a", 8)).isNotEqualTo(FaultPause.millis("b", 8));
    assertThat(FaultPause.millis("a", 8)).isEqualTo(FaultPause.millis("a", 8));
  }
}
