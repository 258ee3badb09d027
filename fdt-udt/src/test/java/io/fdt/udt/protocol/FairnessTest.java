package io.fdt.udt.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.udt.protocol.SharedBottleneck.Pauses;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What flows of TCP keep beside one of UDT at the same queue, in virtual time. */
class FairnessTest {
  private static final long SECOND = 1_000_000;

  /** 30 Mbit/s. */
  private static final double PACKETS_PER_MICRO = 30.0 / 8 / 1500;

  /**
   * Shares of the link in 20 s after the first 10.
   *
   * @param queue as a share of what the path holds
   */
  private static List<Double> shares(int udt, int cubic, long roundTripMillis, double queue) {
    return shares(PACKETS_PER_MICRO, udt, cubic, roundTripMillis, queue, 0);
  }

  private static List<Double> shares(
      double rate, int udt, int cubic, long roundTripMillis, double queue, double loss) {
    int packets = (int) (rate * roundTripMillis * 1000 * queue);
    SharedBottleneck link = new SharedBottleneck(3, rate, packets, roundTripMillis * 500, loss);
    for (int i = 0; i < udt; i++) {
      link.addUdt();
    }
    for (int i = 0; i < cubic; i++) {
      link.addCubic();
    }
    return shares(link, rate);
  }

  private static List<Double> shares(SharedBottleneck link, double rate) {
    link.run(10 * SECOND);
    List<Double> before = link.delivered();
    link.run(20 * SECOND);
    List<Double> shares = new ArrayList<>();
    for (int i = 0; i < before.size(); i++) {
      shares.add((link.delivered().get(i) - before.get(i)) / rate / 20 / SECOND);
    }
    link.release();
    return shares;
  }

  private static double sum(List<Double> shares) {
    return shares.stream().mapToDouble(Double::doubleValue).sum();
  }

  /** So that the model of TCP can be believed. */
  @Test
  void twoFlowsOfTcpShareAlike() {
    List<Double> shares = shares(0, 2, 50, 1);
    assertThat(SharedBottleneck.jain(shares)).as("%s", shares).isGreaterThan(0.95);
    assertThat(sum(shares)).as("%s", shares).isGreaterThan(0.95);
  }

  @ParameterizedTest
  @CsvSource({"20, 1", "50, 0.5", "100, 0.5", "100, 1"})
  void aFlowOfTcpKeepsHalfOfItsFairShareAtLeast(long roundTripMillis, double queue) {
    List<Double> shares = shares(1, 1, roundTripMillis, queue);
    assertThat(shares.get(1)).as("%s", shares).isGreaterThan(0.25);
    assertThat(sum(shares)).as("%s", shares).isGreaterThan(0.9);
  }

  /** 100 Mbit/s: the queue is empty for seconds while TCP returns to its rate. */
  @Test
  void aFlowOfTcpKeepsThatAtASmallQueueToo() {
    List<Double> shares = shares(100.0 / 8 / 1500, 1, 1, 50, 0.25, 0);
    assertThat(shares.get(1)).as("%s", shares).isGreaterThan(0.25);
    assertThat(sum(shares)).as("%s", shares).isGreaterThan(0.9);
  }

  /** A paced flow loses one packet in a full queue where TCP loses many. */
  @Test
  void aFlowOfTcpKeepsThatThoughItLosesMore() {
    List<Double> shares = shares(100.0 / 8 / 1500, 1, 1, 20, 1, 0);
    assertThat(shares.get(1)).as("%s", shares).isGreaterThan(0.25);
    assertThat(sum(shares)).as("%s", shares).isGreaterThan(0.9);
  }

  /** Hosts are late now and then: one round that is longer for it says nothing of the queue. */
  @ParameterizedTest
  @CsvSource({
    // ms, queue; the ends run for, and pause for at least and at most, in microseconds
    "20, 0.25, 500000, 1000, 10000",
    "20, 0.25, 20000, 500, 2000",
  })
  void aFlowOfTcpKeepsThatBesideHostsThatAreLate(
      long roundTripMillis, double queue, long run, long least, long most) {
    double rate = 100.0 / 8 / 1500;
    double sum = 0;
    for (long seed = 3; seed < 5; seed++) {
      SharedBottleneck link =
          new SharedBottleneck(
              seed, rate, (int) (rate * roundTripMillis * 1000 * queue), roundTripMillis * 500, 0);
      link.addUdt(new Pauses(run, least, most));
      link.addCubic();
      List<Double> shares = shares(link, rate);
      System.out.printf("seed %d, late hosts: %s%n", seed, shares);
      sum += shares.get(1) / sum(shares);
    }
    assertThat(sum / 2).isGreaterThan(0.25);
  }

  /** What is lost at random is not the same in each round. */
  @Test
  void lossesAtRandomAreNoOtherFlow() {
    List<Double> shares = shares(PACKETS_PER_MICRO, 1, 0, 20, 1, 0.02);
    assertThat(shares.get(0)).isGreaterThan(0.85);
  }

  @Test
  void twoFlowsOfUdtShareAlikeAndLoseNothingByIt() {
    List<Double> shares = shares(2, 0, 50, 1);
    assertThat(SharedBottleneck.jain(shares)).as("%s", shares).isGreaterThan(0.9);
    assertThat(sum(shares)).as("%s", shares).isGreaterThan(0.85);
  }
}
