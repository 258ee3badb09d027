package io.fdt.core.tuning.rate;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.LongUnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** How evenly bytes leave, in virtual time. */
class PacerTest {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long WINDOW = 5 * SECOND;
  private static final long START = -7 * SECOND; // the clock of a JVM may be negative
  private static final long KILO = 1000;

  /** What left at one moment. */
  private record Sent(long nanos, long bytes) {}

  /** A sender that always has blocks, and whose timers are late by up to {@code jitterNanos}. */
  private static List<Sent> run(
      LongUnaryOperator rateAt, int block, long jitterNanos, long duration, Random random) {
    Pacer pacer = new Pacer();
    List<Sent> all = new ArrayList<>();
    long now = START;
    long at = 0;
    int left = block;
    while (now < START + duration) {
      pacer.setRate(rateAt.applyAsLong(now - START), now);
      long wait = pacer.nanosToWait(now);
      if (wait > 0) {
        if (at > 0) {
          all.add(new Sent(now, at));
          at = 0;
        }
        // A path looks again ten times a second at the least, as its session does.
        now += Math.min(wait, 100 * MILLI) + (jitterNanos == 0 ? 0 : random.nextLong(jitterNanos));
        continue;
      }
      int piece = pacer.piece(left);
      pacer.sent(piece, now);
      at += piece;
      left = left == piece ? block : left - piece;
    }
    all.add(new Sent(now, at));
    return all;
  }

  static Stream<Arguments> ratesAndBlocks() {
    List<Arguments> all = new ArrayList<>();
    for (long rate :
        new long[] {64 * KILO, KILO * KILO, 100_000_000, 1_250_000_000, 10_000_000_000L}) {
      for (int block : new int[] {4 << 10, 64 << 10, 1 << 20, 8 << 20}) {
        for (long jitter : new long[] {0, 1, 20}) {
          all.add(Arguments.of(rate, block, jitter));
        }
      }
    }
    return all.stream();
  }

  @ParameterizedTest
  @MethodSource("ratesAndBlocks")
  void anyFiveSecondsHoldTheirRateWithinTwoPercent(long rate, int block, long jitterMillis) {
    long seed = 20261121 + rate + block + jitterMillis;
    List<Sent> all = run(at -> rate, block, jitterMillis * MILLI, 8 * SECOND, new Random(seed));

    assertWindows(all, at -> rate, 8 * SECOND, seed);
  }

  @Test
  void aRateThatChangesHoldsFromThenOn() {
    LongUnaryOperator rateAt =
        at -> at < 6 * SECOND ? 50_000_000L : at < 12 * SECOND ? 300_000L : 200_000_000L;
    for (int block : new int[] {4 << 10, 1 << 20, 8 << 20}) {
      long seed = 5L + block;
      List<Sent> all = run(rateAt, block, 20 * MILLI, 20 * SECOND, new Random(seed));

      assertWindows(all, rateAt, 20 * SECOND, seed);
    }
  }

  /**
   * All windows that begin where something leaves, or just behind it. Where the rate changes within
   * a window, what may leave too early or too late of the higher one counts besides.
   */
  private static void assertWindows(
      List<Sent> all, LongUnaryOperator rateAt, long duration, long seed) {
    int windows = 0;
    int end = 0;
    long within = 0;
    for (int first = 0; first < all.size(); first++) {
      long from = all.get(first).nanos();
      if (from + WINDOW > START + duration) {
        break;
      }
      while (end < all.size() && all.get(end).nanos() < from + WINDOW) {
        within += all.get(end++).bytes();
      }
      double wanted = integral(rateAt, from - START);
      long before = rateAt.applyAsLong(from - START);
      long after = rateAt.applyAsLong(from - START + WINDOW);
      double edge = before == after ? 0 : 0.04 * Math.max(before, after);
      assertThat((double) within)
          .as("seed %d: from %d", seed, first)
          .isLessThan(1.02 * wanted + edge);
      within -= all.get(first).bytes();
      long atTheEnd = all.get(end).nanos() == from + WINDOW ? all.get(end).bytes() : 0;
      assertThat((double) within + atTheEnd)
          .as("seed %d: behind %d", seed, first)
          .isGreaterThan(0.98 * wanted - edge);
      windows++;
    }
    assertThat(windows).as("windows").isGreaterThan(50);
  }

  /** Bytes of a window, in steps of a millisecond. */
  private static double integral(LongUnaryOperator rateAt, long from) {
    double sum = 0;
    for (long at = from; at < from + WINDOW; at += MILLI) {
      sum += rateAt.applyAsLong(at) / 1000.0;
    }
    return sum;
  }

  @Test
  void aPauseIsNotMadeUpFor() {
    Pacer pacer = new Pacer();
    pacer.setRate(1_000_000, 0);
    pacer.sent(1000, 0);
    long later = 3600 * SECOND;
    int atOnce = 0;
    while (pacer.nanosToWait(later) == 0) {
      int piece = pacer.piece(1 << 20);
      pacer.sent(piece, later);
      atOnce += piece;
    }
    assertThat(atOnce).isLessThanOrEqualTo(25_000 + 10_000);
  }

  @Test
  void withoutALimitNothingWaitsAndNothingIsCut() {
    Pacer pacer = new Pacer();
    pacer.sent(Integer.MAX_VALUE, 5);
    assertThat(pacer.nanosToWait(5)).isZero();
    assertThat(pacer.piece(64 << 20)).isEqualTo(64 << 20);
  }

  @Test
  void aLowRateWaitsNoLongerOnceItIsHigh() {
    Pacer pacer = new Pacer();
    pacer.setRate(1, 0);
    pacer.sent(pacer.piece(1 << 20), 0);
    assertThat(pacer.nanosToWait(0)).isEqualTo(1024 * SECOND);
    pacer.setRate(1024, SECOND);
    assertThat(pacer.nanosToWait(SECOND)).isEqualTo(1023 * SECOND / 1024);
    pacer.setRate(0, SECOND);
    assertThat(pacer.nanosToWait(SECOND)).isZero();
  }

  @Test
  void theHighestAndTheLowestRateArePossible() {
    Pacer pacer = new Pacer();
    pacer.setRate(Long.MAX_VALUE, 0);
    pacer.sent(pacer.piece(Integer.MAX_VALUE), 0);
    pacer.setRate(1, 0);
    pacer.sent(pacer.piece(Integer.MAX_VALUE), 0);
    assertThat(pacer.nanosToWait(0)).isEqualTo(1024 * SECOND);
  }
}
