package io.fdt.core.tuning.rate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Sessions that share a rate, in virtual time. */
class SharedRateTest {
  private static final long MILLI = 1_000_000L;
  private static final long SECOND = 1000 * MILLI;
  private static final long TOTAL = 100_000_000;
  private static final double MUCH = 1e12;

  private final SharedRate shared = new SharedRate();
  private final List<Sender> senders = new ArrayList<>();
  private long now;
  private long total = TOTAL;
  private long perClient;

  /** A session that moves what it wants, as far as it may. */
  private final class Sender {
    final SharedRate.Member member;
    double wanted;
    double bytes;
    double before;
    long told;

    Sender(String client, double wanted) {
      this.member = shared.add(client);
      this.wanted = wanted;
      shared.divide(total, perClient);
      senders.add(this);
    }

    /** Of the last stretch, in bytes per second. */
    double rate(long nanos) {
      double rate = (bytes - before) * 1e9 / nanos;
      before = bytes;
      return rate;
    }
  }

  /** Senders hear of a change after 100 ms, and tell how much they have moved as often. */
  private void pass(long nanos) {
    for (long end = now + nanos; now < end; now += 10 * MILLI) {
      if (now % SharedRate.INTERVAL_NANOS == 0) {
        shared.divide(total, perClient);
        if (total > 0) {
          assertThat(senders.stream().mapToLong(s -> s.member.bytesPerSecond()).sum())
              .as("given at %d ms", now / MILLI)
              .isLessThanOrEqualTo(total + senders.size());
        }
      }
      for (Sender sender : senders) {
        if (now % (100 * MILLI) == 0) {
          sender.told = sender.member.bytesPerSecond();
          sender.member.moved(now, (long) sender.bytes);
        }
        double allowed = sender.told == 0 ? MUCH : sender.told;
        sender.bytes += Math.min(sender.wanted, allowed) / 100;
      }
    }
  }

  private void assertRates(double... shares) {
    pass(SECOND);
    senders.forEach(sender -> sender.rate(SECOND));
    pass(5 * SECOND);
    for (int i = 0; i < shares.length; i++) {
      assertThat(senders.get(i).rate(5 * SECOND))
          .as("sender %d", i)
          .isCloseTo(shares[i] * TOTAL, within(0.03 * TOTAL));
    }
  }

  @Test
  void oneHasAll() {
    new Sender("a", MUCH);
    assertRates(1);
  }

  @Test
  void twoClientsHaveHalfEachWhateverTheirSessions() {
    new Sender("a", MUCH);
    new Sender("b", MUCH);
    new Sender("b", MUCH);
    new Sender("b", MUCH);
    assertRates(1 / 2.0, 1 / 6.0, 1 / 6.0, 1 / 6.0);
  }

  @Test
  void whatOneDoesNotUseTheOthersHave() {
    new Sender("a", 0.1 * TOTAL);
    new Sender("b", MUCH);
    new Sender("c", MUCH);
    pass(SECOND);
    senders.forEach(sender -> sender.rate(SECOND));
    pass(5 * SECOND);
    assertThat(senders.get(0).rate(5 * SECOND)).isCloseTo(0.1 * TOTAL, within(0.01 * TOTAL));
    // A quarter more than what it uses is kept for the first.
    assertThat(senders.get(1).rate(5 * SECOND)).isBetween(0.42 * TOTAL, 0.45 * TOTAL);
    assertThat(senders.get(2).rate(5 * SECOND)).isBetween(0.42 * TOTAL, 0.45 * TOTAL);
  }

  @Test
  void whoStopsLeavesItsShareWithinASecondAndGetsItBackWithinASecond() {
    Sender first = new Sender("a", MUCH);
    Sender second = new Sender("b", MUCH);
    pass(3 * SECOND);
    first.wanted = 0;
    pass(SECOND);
    assertThat(second.member.bytesPerSecond()).isGreaterThan((long) (0.98 * TOTAL));
    pass(3 * SECOND);
    first.wanted = MUCH;
    pass(SECOND);
    assertThat(first.member.bytesPerSecond()).isEqualTo(TOTAL / 2);
    assertThat(second.member.bytesPerSecond()).isEqualTo(TOTAL / 2);
  }

  @Test
  void aNewClientHasItsShareAtOnceAndLeavesItWhenItEnds() {
    Sender first = new Sender("a", MUCH);
    pass(3 * SECOND);
    Sender second = new Sender("b", MUCH);
    assertThat(second.member.bytesPerSecond()).isEqualTo(TOTAL / 2);
    assertThat(first.member.bytesPerSecond()).isEqualTo(TOTAL / 2);
    shared.remove(second.member);
    senders.remove(second);
    pass(SECOND);
    assertThat(first.member.bytesPerSecond()).isEqualTo(TOTAL);
  }

  @Test
  void noClientHasMoreThanOneMayHave() {
    perClient = TOTAL / 5;
    new Sender("a", MUCH);
    new Sender("b", MUCH);
    new Sender("b", MUCH);
    assertRates(1 / 5.0, 1 / 10.0, 1 / 10.0);
  }

  @Test
  void clientsMayBeLimitedWithoutATotal() {
    total = 0;
    perClient = TOTAL / 4;
    for (int i = 0; i < 8; i++) {
      new Sender("client " + i, MUCH);
    }
    assertRates(1 / 4.0, 1 / 4.0, 1 / 4.0);
  }

  @Test
  void withoutLimitsThereIsNone() {
    total = 0;
    Sender sender = new Sender("a", MUCH);
    pass(SECOND);
    assertThat(sender.member.bytesPerSecond()).isZero();
  }

  @Test
  void aLimitThatChangesHoldsWithTheNextLook() {
    Sender sender = new Sender("a", MUCH);
    pass(SECOND);
    total = 0;
    pass(SECOND);
    assertThat(sender.member.bytesPerSecond()).isZero();
    total = TOTAL / 10;
    pass(SECOND);
    assertThat(sender.member.bytesPerSecond()).isEqualTo(TOTAL / 10);
  }
}
