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
        false,
        false);
  }

  /** One that has found TCP slow and the server there: 10 MB/s over TCP. */
  private static TransportTuner atTheStartOfATrial() {
    TransportTuner tuner = new TransportTuner();
    assertThat(tuner.next(sample(10, 100, 50))).isEqualTo(Step.ASK);
    assertThat(tuner.reached()).isEqualTo(Step.TO_UDP);
    return tuner;
  }

  /** One whose next sample is the first that is of UDP alone. */
  private static TransportTuner inTrial() {
    TransportTuner tuner = atTheStartOfATrial();
    assertThat(tuner.moved(0)).isTrue();
    assertThat(tuner.next(sample(10, 100, 50))).isEqualTo(Step.STAY);
    assertThat(tuner.takeReason()).startsWith("data goes over UDP to try it");
    return tuner;
  }

  private static TransportTuner onUdp() {
    TransportTuner tuner = inTrial();
    for (int second = 0; second < 5; second++) {
      assertThat(tuner.next(sample(60, 1000, 50))).isEqualTo(Step.STAY);
    }
    assertThat(tuner.takeReason()).startsWith("data stays on UDP");
    return tuner;
  }

  @Test
  void lossesOnALongPathLeadToUdpAfterASecondAndItStaysWhereItCarriesMore() {
    TransportTuner tuner = atTheStartOfATrial();
    assertThat(tuner.usesUdp()).isTrue();
    assertThat(tuner.takeReason())
        .isEqualTo(
            "data goes over UDP to try it: TCP carries 9.54 MiB/s over a round trip of 50 ms with"
                + " 0.100 % sent again, limited by loss on the path");
    assertThat(tuner.next(sample(10, 1000, 50))).as("on its way").isEqualTo(Step.STAY);
    assertThat(tuner.moved(0)).isTrue();
    assertThat(tuner.moved(0)).as("a stream more").isFalse();
    for (int second = 0; second < 6; second++) {
      assertThat(tuner.takeReason()).isEmpty();
      assertThat(tuner.next(sample(60, 1000, 50))).isEqualTo(Step.STAY);
    }
    assertThat(tuner.takeReason())
        .isEqualTo("data stays on UDP: it carried 57.2 MiB/s over UDP, 9.54 MiB/s over TCP");
    assertThat(tuner.next(sample(4, 1000, 50))).as("a moment").isEqualTo(Step.STAY);
    assertThat(tuner.usesUdp()).isTrue();
  }

  @Test
  void aWindowOfTheSystemIsAReasonToAsk() {
    assertThat(new TransportTuner().next(sample(3, 0, 150, 0.9, 0.9))).isEqualTo(Step.ASK);
  }

  @Test
  void tcpStaysWhereUdpHasNothingToWinAndNobodyIsAsked() {
    TransportTuner tuner = new TransportTuner();
    assertThat(tuner.next(sample(100, 0, 50))).as("no losses").isEqualTo(Step.STAY);
    assertThat(tuner.next(sample(100, 100, 1))).as("a short path").isEqualTo(Step.STAY);
    assertThat(tuner.next(sample(100, 100, 50, 0, 0.1))).as("a disk").isEqualTo(Step.STAY);
    assertThat(tuner.next(sample(0, 0, 50))).as("nothing to send").isEqualTo(Step.STAY);
    assertThat(tuner.reached()).as("nobody has asked").isEqualTo(Step.STAY);
    assertThat(tuner.takeReason()).isEmpty();
    assertThat(tuner.next(sample(10, 100, 50))).as("and later").isEqualTo(Step.ASK);
    assertThat(tuner.next(sample(10, 100, 50))).as("it waits").isEqualTo(Step.STAY);
  }

  @Test
  void aServerThatDoesNotAnswerIsAskedAgainAfterPausesThatGrow() {
    TransportTuner tuner = new TransportTuner();
    for (int pause : new int[] {60, 120, 240, 480, 960, 960}) {
      assertThat(tuner.next(sample(10, 100, 50))).isEqualTo(Step.ASK);
      assertThat(tuner.unreachable("a wall")).isEqualTo(Step.STAY);
      assertThat(tuner.takeReason()).isEqualTo("data stays on TCP: a wall");
      assertThat(tuner.reached()).as("too late").isEqualTo(Step.STAY);
      for (int second = 1; second < pause; second++) {
        assertThat(tuner.next(sample(10, 100, 50))).isEqualTo(Step.STAY);
      }
    }
    assertThat(tuner.next(sample(10, 100, 50))).isEqualTo(Step.ASK);
  }

  /** Looks every quarter of a second, at each of which so much more has arrived. */
  private static Step looks(TransportTuner tuner, int most, long bytes) {
    for (int look = 1; look <= most; look++) {
      Step step = tuner.look(look * bytes);
      if (step != Step.STAY) {
        return step;
      }
    }
    return Step.STAY;
  }

  @Test
  void udpThatIsHeldBackIsLeftWithinASecondAndTriedAgainAfterAMinute() {
    for (long bytes : new long[] {0, MEGABYTE}) {
      TransportTuner tuner = inTrial();
      assertThat(looks(tuner, 4, bytes)).isEqualTo(Step.TO_TCP);
      assertThat(tuner.takeReason()).contains("arrived over UDP in half a second");
      assertThat(tuner.isStarting()).isFalse();
      for (int second = 1; second < 60; second++) {
        assertThat(tuner.next(sample(10, 100, 50))).isEqualTo(Step.STAY);
      }
      assertThat(tuner.next(sample(10, 100, 50))).isEqualTo(Step.ASK);
      assertThat(tuner.reached()).isEqualTo(Step.TO_UDP);
      assertThat(tuner.isStarting()).as("not before the streams have moved").isFalse();
      assertThat(tuner.moved(0)).isTrue();
      assertThat(tuner.isStarting()).isTrue();
    }
  }

  @Test
  void looksEndWhenTheMeasurementBegins() {
    TransportTuner tuner = inTrial();
    assertThat(looks(tuner, 7, 2 * MEGABYTE)).isEqualTo(Step.STAY);
    assertThat(tuner.isStarting()).isTrue();
    assertThat(tuner.look(16 * MEGABYTE)).isEqualTo(Step.STAY);
    assertThat(tuner.isStarting()).isFalse();
    assertThat(tuner.look(16 * MEGABYTE)).as("too late").isEqualTo(Step.STAY);
  }

  @Test
  void aSenderThatWaitsForItsDisksIsNotHeldBack() {
    TransportTuner tuner = inTrial();
    assertThat(tuner.next(sample(1, 0, 50, 0, 0.1))).isEqualTo(Step.STAY);
    assertThat(looks(tuner, 6, 0)).isEqualTo(Step.STAY);
    assertThat(tuner.next(sample(1, 0, 50, 0, 0.5))).isEqualTo(Step.STAY);
    assertThat(tuner.look(0)).isEqualTo(Step.TO_TCP);
  }

  /** TCP has carried data in a part of it. */
  @Test
  void theSampleInWhichStreamsMoveDecidesNothing() {
    TransportTuner tuner = inTrial();
    for (int second = 1; second < 5; second++) {
      assertThat(tuner.next(sample(11, 0, 50))).isEqualTo(Step.STAY);
    }
    assertThat(tuner.next(sample(11, 0, 50))).isEqualTo(Step.TO_TCP);
  }

  @Test
  void reasonsOfTwoDecisionsAreBothTold() {
    TransportTuner tuner = atTheStartOfATrial();
    assertThat(tuner.unreachable("refused")).isEqualTo(Step.TO_TCP);
    assertThat(tuner.takeReason())
        .startsWith("data goes over UDP to try it: ")
        .endsWith("; data goes back to TCP: refused");
  }

  @Test
  void udpThatCarriesNoMoreIsLeft() {
    TransportTuner tuner = inTrial();
    for (int second = 0; second < 4; second++) {
      assertThat(tuner.next(sample(11, 100, 50))).isEqualTo(Step.STAY);
    }
    assertThat(tuner.next(sample(11, 100, 50))).isEqualTo(Step.TO_TCP);
    assertThat(tuner.takeReason())
        .isEqualTo("data goes back to TCP: it carried 10.5 MiB/s over UDP, 9.54 MiB/s over TCP");
  }

  /** Small files, say: what the disks give says nothing of the path. */
  @Test
  void aTrialWaitsForASenderThatHasData() {
    TransportTuner tuner = inTrial();
    for (int second = 0; second < 20; second++) {
      assertThat(tuner.next(sample(2, 0, 50, 0, 0.1))).isEqualTo(Step.STAY);
    }
    tuner.takeReason();
    for (int second = 0; second < 3; second++) {
      assertThat(tuner.takeReason()).isEmpty();
      assertThat(tuner.next(sample(60, 0, 50))).isEqualTo(Step.STAY);
    }
    assertThat(tuner.takeReason()).contains("57.2 MiB/s over UDP");
  }

  @Test
  void udpThatIsCutLaterIsLeftAfterTwoSeconds() {
    TransportTuner tuner = onUdp();
    assertThat(tuner.next(sample(0, 0, 50, 0, 0.1))).as("the disk rests").isEqualTo(Step.STAY);
    assertThat(tuner.next(sample(0, 0, 50))).isEqualTo(Step.STAY);
    assertThat(tuner.next(sample(0, 0, 50))).isEqualTo(Step.TO_TCP);
    assertThat(tuner.usesUdp()).isFalse();
  }

  /** The last blocks are on their way: the sender has nothing more that could wait. */
  @Test
  void udpThatIsCutAtTheEndOfTheDataIsLeftToo() {
    for (TransportTuner tuner : new TransportTuner[] {onUdp(), inTrial()}) {
      for (int second = 1; second < 6; second++) {
        assertThat(tuner.next(sample(0, 0, 50, 0, 0))).isEqualTo(Step.STAY);
      }
      assertThat(tuner.next(sample(0, 0, 50, 0, 0))).isEqualTo(Step.TO_TCP);
    }
  }

  /** A box between that lets a burst pass, and little after it. */
  @Test
  void udpThatIsThrottledLaterIsLeft() {
    TransportTuner tuner = onUdp();
    for (int second = 1; second < 5; second++) {
      assertThat(tuner.next(sample(4, 0, 50))).isEqualTo(Step.STAY);
    }
    assertThat(tuner.next(sample(4, 0, 50))).isEqualTo(Step.TO_TCP);
    assertThat(tuner.takeReason())
        .isEqualTo(
            "data goes back to TCP: for 5 s it carried only 3.81 MiB/s over UDP, 9.54 MiB/s over"
                + " TCP");
  }

  @Test
  void streamsThatCannotBeDialledEndTheTrialAtOnce() {
    TransportTuner tuner = inTrial();
    assertThat(tuner.unreachable("refused")).isEqualTo(Step.TO_TCP);
    assertThat(tuner.takeReason()).isEqualTo("data goes back to TCP: refused");
    assertThat(tuner.unreachable("refused")).as("the others").isEqualTo(Step.STAY);
    assertThat(tuner.takeReason()).isEmpty();
  }

  @Test
  void aSessionThatGetsMoreAddressesComesBackForGood() {
    TransportTuner tuner = inTrial();
    assertThat(tuner.impossible("two addresses")).isEqualTo(Step.TO_TCP);
    assertThat(tuner.impossible("two addresses")).isEqualTo(Step.STAY);
    for (int second = 0; second < 2000; second++) {
      assertThat(tuner.next(sample(10, 100, 50))).isEqualTo(Step.STAY);
    }
  }
}
