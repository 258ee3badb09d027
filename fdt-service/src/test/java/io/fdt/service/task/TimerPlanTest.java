package io.fdt.service.task;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TimerPlanTest {
  @Test
  void theRhythmStaysWhenAServiceWasOff() {
    assertThat(TimerPlan.next(1000, 100, 1000, 0)).isEqualTo(1100);
    assertThat(TimerPlan.next(1000, 100, 1099, 0)).isEqualTo(1100);
    assertThat(TimerPlan.next(1000, 100, 1100, 0)).isEqualTo(1200);
    assertThat(TimerPlan.next(1000, 100, 5678, 0)).isEqualTo(5700);
    assertThat(TimerPlan.next(1000, 1, 1000, 0)).isEqualTo(1001);
  }

  @Test
  void noTimeIsBehindTheEnd() {
    assertThat(TimerPlan.next(1000, 100, 1000, 1100)).isEqualTo(1100);
    assertThat(TimerPlan.next(1100, 100, 1100, 1100)).isZero();
    assertThat(TimerPlan.next(1000, 100, 9000, 1100)).isZero();
  }
}
