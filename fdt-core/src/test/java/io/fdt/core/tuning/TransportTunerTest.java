package io.fdt.core.tuning;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.tuning.TransportTuner.Step;
import org.junit.jupiter.api.Test;

/** When data moves to UDP, and when it comes back. */
class TransportTunerTest {
  private static final long MEGABYTE = 1_000_000;

  /** 100 segments in 100,000 are lost over 50 ms, without a queue. */
  private static Sample sample(long megabytesPerSecond, long lostIn100000, long millis) {
    return sample(megabytesPerSecond, lostIn100000, millis, 0, 0.9);
  }

  private static Sample sample(
      long megabytesPerSecond, long lost, long millis, double window, double senderFill) {
    return new Sample(
        1,
        megabytesPerSecond * MEGABYTE,
        4,
        100_000,
        lost,
        millis * 1000,
        millis * 1000,
        window,
        0,
        senderFill,
        0,
        0.5,
        0.1,
        0.2,
        0.2,
        0.1,
        false);
  }

  private static TransportTuner reached() {
    TransportTuner tuner = new TransportTuner();
    tuner.reached();
    return tuner;
  }

  @Test
  void lossesOnALongPathLeadToUdpAfterASecondAndItStaysWhereItCarriesMore() {
    TransportTuner tuner = reached();
    assertThat(tuner.next(sample(10, 100, 50))).isEqualTo(Step.TO_UDP);
    assertThat(tuner.usesUdp()).isTrue();
    assertThat(tuner.takeReason())
        .isEqualTo(
            "data goes over UDP to try it: TCP carries 80.0 Mbit/s over a round trip of 50 ms with"
                + " 0.100 % sent again, limited by loss on the path");
    for (int second = 0; second < 5; second++) {
      assertThat(tuner.takeReason()).isEmpty();
      assertThat(tuner.next(sample(60, 1000, 50))).isEqualTo(Step.STAY);
    }
    assertThat(tuner.takeReason())
        .isEqualTo("data stays on UDP: it carried 480 Mbit/s over UDP, 80.0 Mbit/s over TCP");
    assertThat(tuner.next(sample(5, 1000, 50))).as("the disk, say").isEqualTo(Step.STAY);
    assertThat(tuner.usesUdp()).isTrue();
  }

  @Test
  void aWindowOfTheSystemLeadsToUdp() {
    assertThat(reached().next(sample(3, 0, 150, 0.9, 0.9))).isEqualTo(Step.TO_UDP);
  }

  @Test
  void tcpStaysWhereUdpHasNothingToWin() {
    TransportTuner tuner = reached();
    assertThat(tuner.next(sample(100, 0, 50))).as("no losses").isEqualTo(Step.STAY);
    assertThat(tuner.next(sample(100, 100, 1))).as("a short path").isEqualTo(Step.STAY);
    assertThat(tuner.next(sample(100, 100, 50, 0, 0.1))).as("a disk").isEqualTo(Step.STAY);
    assertThat(tuner.next(sample(0, 0, 50))).as("nothing to send").isEqualTo(Step.STAY);
    assertThat(tuner.takeReason()).isEmpty();
    assertThat(tuner.next(sample(10, 100, 50))).as("and later").isEqualTo(Step.TO_UDP);
  }

  @Test
  void tcpStaysUntilTheServerAnswersOverUdpAndForGoodWhereItDoesNot() {
    TransportTuner tuner = new TransportTuner();
    assertThat(tuner.next(sample(10, 100, 50))).isEqualTo(Step.STAY);
    assertThat(tuner.unreachable("a wall")).isEqualTo(Step.STAY);
    assertThat(tuner.takeReason()).isEqualTo("data stays on TCP: a wall");
    tuner.reached();
    assertThat(tuner.next(sample(10, 100, 50))).isEqualTo(Step.STAY);
  }

  @Test
  void udpThatIsHeldBackIsLeftAfterASecond() {
    for (long left : new long[] {0, 4}) {
      TransportTuner tuner = reached();
      tuner.next(sample(10, 100, 50));
      assertThat(tuner.next(sample(left, 0, 50))).isEqualTo(Step.TO_TCP);
      assertThat(tuner.takeReason()).contains("something holds it back");
      assertThat(tuner.next(sample(10, 100, 50))).as("for good").isEqualTo(Step.STAY);
    }
  }

  @Test
  void udpThatCarriesNoMoreIsLeft() {
    TransportTuner tuner = reached();
    tuner.next(sample(10, 100, 50));
    for (int second = 0; second < 4; second++) {
      assertThat(tuner.next(sample(11, 100, 50))).isEqualTo(Step.STAY);
    }
    assertThat(tuner.next(sample(11, 100, 50))).isEqualTo(Step.TO_TCP);
    assertThat(tuner.takeReason())
        .isEqualTo("data goes back to TCP: it carried 88.0 Mbit/s over UDP, 80.0 Mbit/s over TCP");
  }

  @Test
  void udpThatIsCutLaterIsLeftAfterTwoSeconds() {
    TransportTuner tuner = reached();
    tuner.next(sample(10, 100, 50));
    for (int second = 0; second < 5; second++) {
      tuner.next(sample(60, 100, 50));
    }
    assertThat(tuner.next(sample(0, 0, 50, 0, 0.1))).as("the disk rests").isEqualTo(Step.STAY);
    assertThat(tuner.next(sample(0, 0, 50))).isEqualTo(Step.STAY);
    assertThat(tuner.next(sample(0, 0, 50))).isEqualTo(Step.TO_TCP);
    assertThat(tuner.usesUdp()).isFalse();
  }

  @Test
  void aSessionThatGetsMoreAddressesComesBack() {
    TransportTuner tuner = reached();
    tuner.next(sample(10, 100, 50));
    assertThat(tuner.unreachable("two addresses")).isEqualTo(Step.TO_TCP);
  }
}
