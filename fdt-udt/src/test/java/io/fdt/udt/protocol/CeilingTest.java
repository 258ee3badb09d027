package io.fdt.udt.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

/** When a loss counts as congestion, and what follows: 1,000 packets in flight over 50 ms. */
class CeilingTest {
  private static final long EMPTY = 50_000;
  private static final long QUEUED = 70_000;
  private static final long IN_FLIGHT = 1000;

  /** Packets per microsecond. */
  private static final double RATE = 0.02;

  private final Ceiling ceiling = new Ceiling();
  private final Progress progress = new Progress();

  private void round(long roundTripMicros, long lost) {
    round(roundTripMicros, lost, 10_000);
  }

  /** A round of one acknowledgement. */
  private void round(long roundTripMicros, long lost, long delivered) {
    progress.nowMicros += roundTripMicros;
    progress.lastRoundTripMicros = roundTripMicros;
    progress.inFlight = IN_FLIGHT;
    ceiling.acknowledged(progress);
    ceiling.lost(progress.sent, lost);
    progress.sent += delivered;
    ceiling.endRound(progress, RATE, delivered, true);
  }

  private void rounds(int count, long roundTripMicros, long lost) {
    for (int i = 0; i < count; i++) {
      round(roundTripMicros, lost);
    }
  }

  /** 200 packets have arrived and were not acknowledged yet: they are in no queue. */
  @Test
  void aLossInAFullQueueHalvesWhatIsInFlight() {
    rounds(20, EMPTY, 0);
    rounds(3, QUEUED, 0);
    assertThat(ceiling.isThere()).isFalse();
    round(QUEUED, 100);
    assertThat(ceiling.packets()).isEqualTo(200 + 800 / 2);
    assertThat(ceiling.wasCutLately(progress.nowMicros + 9_900_000)).isTrue();
    assertThat(ceiling.wasCutLately(progress.nowMicros + 10_100_000)).isFalse();
  }

  @Test
  void aLossWithoutAQueueIsNone() {
    rounds(20, EMPTY, 0);
    for (int i = 0; i < 20; i++) {
      round(EMPTY, 2000);
      assertThat(ceiling.isThere()).isFalse();
    }
  }

  @Test
  void aQueueIsTenPercentOfTheRoundTripLong() {
    rounds(20, EMPTY, 0);
    round(EMPTY + 4000, 2000);
    assertThat(ceiling.isThere()).isFalse();
    rounds(5, EMPTY + 6000, 2000);
    assertThat(ceiling.isThere()).isTrue();
  }

  @Test
  void aQueueIsTwoMillisecondsLong() {
    rounds(20, 5000, 0);
    round(5000 + 1900, 2000);
    assertThat(ceiling.isThere()).isFalse();
    rounds(5, 5000 + 2100, 2000);
    assertThat(ceiling.isThere()).isTrue();
  }

  @Test
  void aQueueThatDropsPacketsIsHalfAsLongAsItEverWas() {
    rounds(20, EMPTY, 0);
    rounds(3, EMPTY + 40_000, 0);
    rounds(2, EMPTY, 0);
    rounds(3, EMPTY + 15_000, 2000);
    assertThat(ceiling.isThere()).isFalse();
    rounds(3, EMPTY + 25_000, 2000);
    assertThat(ceiling.isThere()).isTrue();
  }

  /** A host was late by more than it knows. */
  @Test
  void oneLongRoundSaysNothingOfTheQueue() {
    rounds(20, EMPTY, 0);
    round(EMPTY + 100_000, 0);
    rounds(3, EMPTY, 0);
    rounds(3, QUEUED, 2000);
    assertThat(ceiling.isThere()).isTrue();
  }

  @Test
  void aFullQueueDropsMoreThanOnePacketInAThousand() {
    rounds(20, EMPTY, 0);
    rounds(5, QUEUED, 9);
    assertThat(ceiling.isThere()).isFalse();
    round(QUEUED, 12);
    assertThat(ceiling.isThere()).isTrue();
  }

  @Test
  void aFullQueueDropsTwiceAsMuchAsIsLostWithoutOne() {
    rounds(100, EMPTY, 100);
    rounds(5, QUEUED, 190);
    assertThat(ceiling.isThere()).isFalse();
    round(QUEUED, 300);
    assertThat(ceiling.isThere()).isTrue();
  }

  /** 2 of 150 are twice as much as 1 of 150, and chance. */
  @Test
  void aFewPacketsMoreAreChance() {
    for (int i = 0; i < 100; i++) {
      round(EMPTY, 1, 150);
    }
    for (int i = 0; i < 5; i++) {
      round(QUEUED, 3, 150);
    }
    assertThat(ceiling.isThere()).isFalse();
  }

  @Test
  void aRoundTripThatIsLongerBecauseAHostWasLateIsNoQueue() {
    rounds(20, EMPTY, 0);
    for (boolean peer : new boolean[] {false, true}) {
      progress.lateMicros = peer ? 0 : 20_000;
      progress.peerLateMicros = peer ? 20_000 : 0;
      rounds(5, QUEUED, 2000);
      assertThat(ceiling.isThere()).isFalse();
    }
  }

  private void cut() {
    rounds(20, EMPTY, 0);
    rounds(3, QUEUED, 0);
    round(QUEUED, 100);
  }

  /** With 0.4 x (t - K)^3 + 1,000 packets the loss is back after K = cbrt(400 / 0.4) = 10 s. */
  @Test
  void itReturnsOnTheCurveOfCubic() {
    cut();
    assertThat(packetsAfter(5)).isCloseTo(1000 - 0.4 * 125, within(1.0));
    assertThat(packetsAfter(5)).isCloseTo(1000, within(1.0));
    assertThat(packetsAfter(5)).isCloseTo(1000 + 0.4 * 125, within(1.0));
  }

  private double packetsAfter(int seconds) {
    progress.nowMicros += seconds * 1_000_000L;
    ceiling.acknowledged(progress);
    return ceiling.packets();
  }

  @Test
  void afterTenRoundsWithoutAQueueTheModelDecidesAgain() {
    cut();
    packetsAfter(11);
    rounds(2, EMPTY, 0); // those of the cut and the one after it are long
    rounds(9, EMPTY, 0);
    assertThat(ceiling.isThere()).isTrue();
    round(EMPTY, 0);
    assertThat(ceiling.isThere()).isFalse();
  }

  @Test
  void theModelDoesNotDecideBeforeTheCurveIsWhereTheLossWas() {
    cut();
    rounds(100, EMPTY, 0);
    assertThat(ceiling.packets()).isLessThan(1000);
    packetsAfter(6);
    round(EMPTY, 0);
    assertThat(ceiling.isThere()).isFalse();
  }

  /** Packets that were sent before the cut say nothing new. */
  @Test
  void oneFullQueueIsOneReason() {
    cut();
    ceiling.lost(progress.sent - 10_001, 500);
    double before = ceiling.packets();
    round(QUEUED, 0);
    assertThat(ceiling.packets()).isGreaterThanOrEqualTo(before);
  }
}
