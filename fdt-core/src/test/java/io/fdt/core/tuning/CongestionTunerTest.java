package io.fdt.core.tuning;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The trial of another congestion control, in virtual time. */
class CongestionTunerTest {
  private final CongestionTuner tuner = new CongestionTuner();
  private double cubic = 20e6;
  private double other = 100e6;
  private double loss = 1e-4;
  private double lossOfOther = 1e-4;
  private int secondsWithOther;

  private void run(int seconds) {
    for (int i = 0; i < seconds; i++) {
      double rate = tuner.usesTried() ? other : cubic;
      double lost = tuner.usesTried() ? lossOfOther : loss;
      secondsWithOther += tuner.usesTried() ? 1 : 0;
      long segments = (long) (rate / 1448);
      tuner.next(
          new Sample(
              1,
              (long) rate,
              4,
              segments,
              Math.round(segments * lost),
              151_000,
              150_000,
              0,
              0,
              1,
              0,
              1,
              0.2,
              0.2,
              0.2,
              0.2,
              false,
              false));
    }
  }

  @Test
  void whereLossLimitsTheOtherOneIsTriedAndKept() {
    run(60);
    assertThat(tuner.usesTried()).isTrue();
    assertThat(tuner.isTrying()).isFalse();
    assertThat(secondsWithOther).isGreaterThan(45);
    assertThat(tuner.reason()).contains("bbr carries more");
  }

  @Test
  void oneThatCarriesNoMoreIsLeftAndNotTriedAgainSoon() {
    other = 21e6;
    run(100);
    assertThat(tuner.usesTried()).isFalse();
    assertThat(secondsWithOther).isBetween(4, 8);
    run(100);
    assertThat(secondsWithOther).isBetween(8, 16);
  }

  @Test
  void withoutLossNothingIsTried() {
    loss = 0;
    run(200);
    assertThat(secondsWithOther).isZero();
  }

  @Test
  void lossIsBorneByOneThatCarriesTwiceAsMuch() {
    lossOfOther = 0.08;
    run(100);
    assertThat(tuner.usesTried()).isTrue();
    other = 1.5 * cubic;
    run(30);
    assertThat(tuner.usesTried()).isFalse();
  }

  @Test
  void lossIsNotBorneByOneThatCarriesHalfAsMuchAgain() {
    lossOfOther = 0.08;
    other = 1.5 * cubic;
    run(30);
    assertThat(tuner.usesTried()).isFalse();
    assertThat(secondsWithOther).isPositive();
    assertThat(tuner.reason()).contains("loses too much");
  }

  @Test
  void oneThatLosesTooMuchIsGivenUpForGood() {
    lossOfOther = 0.18;
    run(300);
    assertThat(tuner.usesTried()).isFalse();
    lossOfOther = 1e-4;
    run(150);
    assertThat(tuner.usesTried()).isTrue();
    lossOfOther = 0.18;
    run(30);
    assertThat(tuner.usesTried()).isFalse();
    secondsWithOther = 0;
    run(600);
    assertThat(secondsWithOther).isZero();
    assertThat(tuner.reason()).contains("loses too much");
  }

  @Test
  void whatTheSystemRefusesIsNotAskedForAgain() {
    while (!tuner.isTrying()) {
      run(1);
    }
    tuner.refused();
    secondsWithOther = 0;
    run(300);
    assertThat(secondsWithOther).isZero();
    assertThat(tuner.reason()).contains("does not allow");
  }
}
