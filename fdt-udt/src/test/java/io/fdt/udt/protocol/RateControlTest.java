package io.fdt.udt.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * How fast the model sends after what its acknowledgements say: one each 10 ms, over a round trip
 * of 50 ms.
 */
class RateControlTest {
  private static final long TICK = UdtConnection.SYN_MICROS;
  private static final long ROUND_TRIP = 5 * TICK;

  /** Packets per microsecond: 5,000 in a round. */
  private static final double FAST = 0.1;

  private final RateControl control = new RateControl(ROUND_TRIP);
  private final Progress progress = new Progress();
  private long roundTrip = ROUND_TRIP;

  private void round(double rate) {
    round(rate, 0);
  }

  /**
   * A round trip.
   *
   * @param loss share of the packets, which are reported with the first acknowledgement
   */
  private void round(double rate, double loss) {
    long packets = Math.round(rate * ROUND_TRIP);
    progress.lost += Math.round(packets * loss);
    for (long at = 0; at < ROUND_TRIP; at += TICK) {
      progress.nowMicros += TICK;
      progress.delivered += packets * TICK / ROUND_TRIP;
      progress.deliveredMicros = progress.nowMicros;
      progress.arrived = progress.delivered;
      progress.arrivedMicros = progress.nowMicros;
      progress.sent = progress.delivered;
      progress.lastRoundTripMicros = roundTrip;
      progress.roundTripMicros = roundTrip;
      control.acknowledged(progress);
    }
  }

  private void rounds(int count, double rate) {
    for (int i = 0; i < count; i++) {
      round(rate);
    }
  }

  /** Until the rate is known, and the queue of the start is empty. */
  private void cruise() {
    for (int i = 0; i < 20 && !control.state().equals("cruise"); i++) {
      round(FAST);
    }
    assertThat(control.state()).isEqualTo("cruise");
    rounds(16, FAST);
  }

  /** As the packets in flight follow from it: twice what a round trip and 10 ms bring. */
  private double rate() {
    return control.window() / 2.0 / (ROUND_TRIP + TICK);
  }

  /** What is sent, as a share of the rate. */
  private double gain() {
    return 1 / control.periodMicros() / FAST;
  }

  private List<Double> gains(int rounds) {
    List<Double> gains = new ArrayList<>();
    for (int i = 0; i < rounds; i++) {
      round(FAST);
      gains.add(Math.round(gain() * 100) / 100.0);
    }
    return gains;
  }

  @Test
  void aQuarterMoreIsTriedOnceInEightRounds() {
    cruise();
    List<Double> gains = gains(16);
    assertThat(gains.subList(0, 8)).isEqualTo(gains.subList(8, 16));
    assertThat(gains.subList(0, 8)).containsOnlyOnce(1.25);
    assertThat(gains.subList(0, 8)).containsOnlyOnce(0.75);
    assertThat(gains.get(gains.indexOf(1.25) + 1)).isEqualTo(0.75);
  }

  @Test
  void theQueueThatATryMakesIsEmptied() {
    cruise();
    while (gains(1).get(0) != 1.25) {
      assertThat(progress.nowMicros).isLessThan(100_000_000);
    }
    progress.inFlight = Math.round(FAST * (ROUND_TRIP + TICK)) + 10;
    assertThat(gains(5)).containsOnly(0.75);
    progress.inFlight = 0;
    assertThat(gains(1)).containsOnly(1.0);
  }

  @Test
  void itSendsAtTheHighestRateOfTheLastTenRounds() {
    cruise();
    rounds(9, FAST / 2);
    assertThat(rate()).isCloseTo(FAST, within(FAST / 100));
    rounds(3, FAST / 2);
    assertThat(rate()).isCloseTo(FAST / 2, within(FAST / 100));
    round(FAST);
    assertThat(rate()).as("more, at once").isCloseTo(FAST, within(FAST / 100));
  }

  @Test
  void beyondFivePercentOfLossAllRatesButTheLastAreForgotten() {
    cruise();
    round(FAST / 2, 0.04);
    round(FAST / 2, 0.04);
    assertThat(rate()).isCloseTo(FAST, within(FAST / 100));
    round(FAST / 2, 0.06);
    assertThat(rate()).isCloseTo(FAST / 2, within(FAST / 100));
  }

  @Test
  void theLeastRoundTripIsMeasuredEveryTenSeconds() {
    cruise();
    roundTrip = ROUND_TRIP + TICK;
    long start = progress.nowMicros;
    while (control.state().equals("cruise")) {
      round(FAST);
      assertThat(progress.nowMicros - start).isLessThan(11_000_000);
    }
    assertThat(progress.nowMicros - start).isGreaterThan(9_900_000);
    assertThat(control.state()).isEqualTo("look");
    assertThat(gain()).isCloseTo(0.5, within(0.01));
    assertThat(control.window()).isEqualTo(Math.round(FAST * (ROUND_TRIP + TICK) / 2));
    rounds(5, FAST);
    assertThat(control.state()).isEqualTo("cruise");
    assertThat(control.window()).isEqualTo(Math.round(2 * FAST * (roundTrip + TICK)));
  }

  @Test
  void ofRoundsInWhichItWasLateOneASecondCounts() {
    cruise();
    progress.lateMicros = 2100;
    rounds(5 * 20, FAST / 2);
    progress.lateMicros = 0;
    rounds(2, FAST / 2);
    assertThat(rate()).as("after 5 s").isCloseTo(FAST, within(FAST / 100));
    progress.lateMicros = 2100;
    rounds(8 * 20, FAST / 2);
    progress.lateMicros = 0;
    rounds(2, FAST / 2);
    assertThat(rate()).as("after 13 s").isCloseTo(FAST / 2, within(FAST / 100));
  }

  @Test
  void aHostThatIsLateSendsAQuarterFaster() {
    cruise();
    progress.lateMicros = 1900;
    assertThat(gains(8)).contains(1.0);
    progress.lateMicros = 2100;
    assertThat(gains(8)).containsOnly(1.25);
  }

  @Test
  void notInTheTenRoundsAfterOneWithMuchLoss() {
    cruise();
    progress.lateMicros = 2100;
    rounds(3, FAST);
    round(FAST, 0.06);
    assertThat(gains(6)).allMatch(gain -> gain <= 1);
    rounds(4, FAST);
    assertThat(gains(8)).containsOnly(1.25);
  }

  /** A quarter of a round trip, and of the longest queue; 1 to 20 ms. */
  @Test
  void whatALateTimerMissedIsSentAtOnceUpToAQuarterOfTheQueue() {
    assertThat(control.catchUpMicros()).as("no queue was seen").isEqualTo(ROUND_TRIP / 4);
    assertThat(new RateControl(200_000).catchUpMicros()).isEqualTo(20_000);
    cruise();
    assertThat(control.catchUpMicros()).as("no queue").isEqualTo(1000);
    roundTrip = ROUND_TRIP + 20_000;
    rounds(3, FAST);
    assertThat(control.catchUpMicros()).isEqualTo(5000);
    roundTrip = 10 * ROUND_TRIP;
    rounds(3, FAST);
    assertThat(control.catchUpMicros()).isEqualTo(ROUND_TRIP / 4);
  }
}
