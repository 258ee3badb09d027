package io.fdt.udt.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.udt.protocol.LoadedHosts.Conditions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is left of a link where the processors of both hosts are busy with something else. */
class LoadedHostsTest {
  private static final long SECOND = 1_000_000;

  private static final int SEEDS = 2;

  /** 150 Mbit/s. */
  private static final double RATE = 150.0 / 8 / 1500;

  @ParameterizedTest
  @CsvSource({
    // round trip in ms, loss, both ends run for, and pause for at least and at most, in ms; share
    "1.65, 0.001, 20, 1, 6, 0.3",
    "1.65, 0.001, 4, 1, 20, 0.15",
    "50, 0.001, 4, 1, 20, 0.8",
    "150, 0.001, 4, 1, 20, 0.7",
  })
  void lateTimersAndLateReadersAreNoReasonToSlowDown(
      double roundTripMillis, double loss, long run, long least, long most, double share) {
    double sum = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
      LoadedHosts hosts =
          new LoadedHosts(
              seed,
              new Conditions(
                  RATE,
                  (int) Math.max(170, RATE * roundTripMillis * 1000),
                  Math.round(roundTripMillis * 500),
                  loss,
                  7000,
                  run * 1000,
                  least * 1000,
                  most * 1000));
      hosts.run(SECOND);
      sum += hosts.run(2 * SECOND);
      hosts.release();
    }
    assertThat(sum / SEEDS).isGreaterThan(share);
  }

  /** At 1 Gbit/s the start alone loses thousands of packets in the queue that it fills. */
  @Test
  void whatTheStartLosesSaysNothingOfOthers() {
    double rate = 1000.0 / 8 / 1500;
    LoadedHosts hosts =
        new LoadedHosts(
            1,
            new Conditions(rate, (int) (rate * 50_000), 25_000, 0.001, 11_000, SECOND, 100, 200));
    hosts.run(3 * SECOND / 2);
    double share = hosts.run(3 * SECOND);
    hosts.release();
    assertThat(share).isGreaterThan(0.92);
  }

  /** What waited meanwhile is then read faster than the path carries it. */
  @Test
  void aReceiverThatStallsIsNotTakenForAFasterPath() {
    double rate = 1000.0 / 8 / 1500;
    LoadedHosts hosts =
        new LoadedHosts(
            1, new Conditions(rate, (int) (rate * 50_000), 25_000, 0, 11_000, SECOND, 100, 200));
    hosts.run(3 * SECOND / 2); // the start fills the queue
    hosts.countAnew();
    for (int i = 0; i < 8; i++) {
      hosts.run(300_000);
      hosts.stallReceiver(80_000);
    }
    hosts.release();
    assertThat(hosts.dropped()).isLessThan(0.01);
  }

  /** What is sent ahead, or at once, for a host that is late is dropped there. */
  @ParameterizedTest
  @CsvSource({
    // Mbit/s, round trip in ms, packets in the queue
    "1000, 1.65, 170",
    "100, 20, 42",
  })
  void lateHostsDoNotFloodAShortQueue(double megabits, double roundTripMillis, int queue) {
    LoadedHosts hosts =
        new LoadedHosts(
            1,
            new Conditions(
                megabits / 8 / 1500,
                queue,
                Math.round(roundTripMillis * 500),
                0,
                11_000,
                20_000,
                1000,
                5000));
    hosts.run(3 * SECOND / 2);
    hosts.countAnew();
    double share = hosts.run(2 * SECOND);
    hosts.release();
    assertThat(hosts.dropped()).isLessThan(0.06);
    assertThat(share).isGreaterThan(0.6);
  }
}
