package io.fdt.core.engine.meter;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TimeShareTest {
  private final TimeShare share = new TimeShare(100);

  @Test
  void aMomentIsNoMoreThanAMoment() {
    share.set(true, 110);
    share.set(true, 120);
    share.set(false, 130);
    assertThat(share.take(200)).isEqualTo(0.2);
    assertThat(share.take(300)).isZero();
  }

  @Test
  void whatStillHoldsCountsOnBothSides() {
    share.set(true, 150);
    assertThat(share.take(200)).isEqualTo(0.5);
    share.set(false, 225);
    assertThat(share.take(300)).isEqualTo(0.25);
  }
}
