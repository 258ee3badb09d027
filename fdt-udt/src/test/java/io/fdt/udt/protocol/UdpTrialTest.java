package io.fdt.udt.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.tuning.Sample;
import io.fdt.core.tuning.TransportTuner;
import io.fdt.core.tuning.TransportTuner.Step;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a trial of UDP makes of its first seconds: real connections in virtual time. */
class UdpTrialTest {
  private static final long LOOK_MICROS = TransportTuner.LOOK_NANOS / 1000;

  /** 5 MB/s over TCP, with losses: what a trial begins with. */
  private static final long TCP_BYTES = 5_000_000;

  /** 100 Mbit/s. */
  private static final double PACKETS_PER_MICRO = 100.0 / 8 / 1500;

  private SimulatedPath path;

  @AfterEach
  void release() {
    if (path != null) {
      path.release();
      path = null;
    }
  }

  /** A path whose queue holds what 20 ms bring, or 50 packets. */
  private void over(long roundTripMillis, double loss, double packetsPerMicro) {
    release();
    int queue = Math.max(50, (int) (packetsPerMicro * 20_000));
    path =
        new SimulatedPath(
            42,
            new SimulatedPath.Conditions(
                packetsPerMicro, queue, roundTripMillis * 500, loss, 0, 0, 0),
            UdtSettings.DEFAULT,
            5);
    path.first.toSend = Long.MAX_VALUE / 4;
  }

  private static TransportTuner tuner(long roundTripMillis) {
    long micros = roundTripMillis * 1000;
    Sample overTcp =
        new Sample(
            1, TCP_BYTES, 1, 10_000, 10, micros, micros, 0, 0, 0.9, 0, 0.5, 0.1, 0.2, 0.2, 0.1,
            false, false);
    TransportTuner tuner = new TransportTuner();
    assertThat(tuner.next(overTcp)).isEqualTo(Step.ASK);
    assertThat(tuner.reached()).isEqualTo(Step.TO_UDP);
    return tuner;
  }

  /**
   * Goes on until the trial is over, or is not early any more.
   *
   * @param atSender whether the sender of the data is the one that looks
   * @return when data went back to TCP, in microseconds; below 0 for not
   */
  private long left(TransportTuner tuner, boolean atSender) {
    UdtConnection end = atSender ? path.first.connection : path.second.connection;
    long start = path.now;
    assertThat(tuner.moved(end.arrivedBytes())).isTrue();
    while (tuner.isStarting()) {
      path.run(() -> false, LOOK_MICROS);
      if (tuner.look(end.arrivedBytes()) == Step.TO_TCP) {
        return path.now - start;
      }
    }
    return -1;
  }

  @ParameterizedTest
  @CsvSource({
    "2, 0",
    "2, 0.01",
    "50, 0",
    "50, 0.001",
    "50, 0.01",
    "150, 0",
    "150, 0.01",
    "400, 0",
    "400, 0.001",
    "400, 0.01"
  })
  void aHealthyPathIsNotLeft(long roundTripMillis, double loss) {
    for (boolean atSender : new boolean[] {true, false}) {
      over(roundTripMillis, loss, PACKETS_PER_MICRO);
      TransportTuner tuner = tuner(roundTripMillis);
      assertThat(left(tuner, atSender)).as(tuner.takeReason()).isNegative();
      assertThat(tuner.usesUdp()).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {2, 50, 150, 400})
  void whatIsFilteredIsLeftWithinASecond(long roundTripMillis) {
    for (boolean atSender : new boolean[] {true, false}) {
      over(roundTripMillis, 0, PACKETS_PER_MICRO);
      path.blackHole = true;
      assertThat(left(tuner(roundTripMillis), atSender)).isBetween(0L, 1_000_000L);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {2, 50, 150, 400})
  void whatPassesInOneDirectionOnlyIsLeftWithinASecond(long roundTripMillis) {
    over(roundTripMillis, 0, PACKETS_PER_MICRO);
    path.oneWay = true;
    assertThat(left(tuner(roundTripMillis), true)).isBetween(0L, 1_000_000L);
  }

  /** A filter that lets the start pass. */
  @ParameterizedTest
  @ValueSource(longs = {2, 50, 150})
  void whatIsCutInTheMiddleIsLeft(long roundTripMillis) {
    over(roundTripMillis, 0, PACKETS_PER_MICRO);
    long[] packets = {0};
    path.sent = (packet, toFirst) -> path.blackHole = ++packets[0] > 100;
    assertThat(left(tuner(roundTripMillis), true)).isBetween(0L, 1_000_000L);
  }

  /** On long paths UDP would not have carried more yet. */
  @ParameterizedTest
  @CsvSource({"2, 1000", "50, 1000", "100, 1000", "150, 1250", "250, 1750", "400, 2500"})
  void whatIsLimitedToATenthOfTcpIsLeft(long roundTripMillis, long mostMillis) {
    for (boolean atSender : new boolean[] {true, false}) {
      over(roundTripMillis, 0, TCP_BYTES / 10 / 1500.0 / 1e6);
      TransportTuner tuner = tuner(roundTripMillis);
      assertThat(left(tuner, atSender)).isBetween(0L, mostMillis * 1000);
      assertThat(tuner.takeReason()).contains("arrived over UDP in half a second");
    }
  }
}
