package io.fdt.server.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.transport.PathState;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** How a relay finds out the congestion control of one part of a way, in virtual time. */
class PartTuningTest {
  private static final int CONNECTIONS = 4;
  private static final int SEGMENT = 1448;

  /** What a connection carries in a second. */
  private long bytes = 2_000_000;

  /** The same with BBR. */
  private long bytesWithOther = 10_000_000;

  private double loss = 0.02;
  private double held = 0.9;
  private long nowNanos = 7;
  private final PartTuning tuning = new PartTuning(nowNanos);
  private final PathState[] states = new PathState[CONNECTIONS];

  PartTuningTest() {
    Arrays.fill(states, new PathState(100_000, 100_000, 0, 0, 0, 0, 0, 0, 0, 0, 0));
  }

  private void run(int seconds) {
    for (int i = 0; i < seconds; i++) {
      nowNanos += TimeUnit.SECONDS.toNanos(1);
      for (int j = 0; j < CONNECTIONS; j++) {
        PathState before = states[j];
        states[j] = after(before, tuning.congestion().isEmpty() ? bytes : bytesWithOther);
        tuning.held(Math.round(held * 1e9));
        tuning.seen(before, states[j], nowNanos);
      }
    }
  }

  private PathState after(PathState before, long carried) {
    long segments = carried / SEGMENT;
    return new PathState(
        101_000,
        100_000,
        before.segments() + segments,
        before.retransmits() + Math.round(segments * loss),
        before.busyMicros() + 1_000_000,
        0,
        0,
        carried,
        0,
        0,
        before.arrivedBytes() + carried);
  }

  @Test
  void whereLossLimitsThePartTheOtherOneIsTriedAndKept() {
    run(5); // two measurements take six
    assertThat(tuning.congestion()).isEmpty();
    run(5);
    assertThat(tuning.congestion()).isEqualTo("bbr");
    run(60);
    assertThat(tuning.congestion()).isEqualTo("bbr");
  }

  @Test
  void oneThatCarriesNoMoreIsLeft() {
    bytesWithOther = bytes;
    run(60);
    assertThat(tuning.congestion()).isEmpty();
  }

  @Test
  void withoutLossNothingIsTried() {
    loss = 0;
    bytesWithOther = 1;
    run(60);
    assertThat(states[0].arrivedBytes()).isEqualTo(60 * bytes);
  }

  /** There, the part before the relay limits: another one would change nothing. */
  @Test
  void aPartThatTakesAllThatComesIsLeftAlone() {
    held = 0.1;
    bytesWithOther = 1;
    run(60);
    assertThat(states[0].arrivedBytes()).isEqualTo(60 * bytes);
  }

  @Test
  void aPauseIsNoMeasurement() {
    run(4);
    bytes = 0;
    run(30);
    bytes = 2_000_000;
    run(2);
    assertThat(tuning.congestion()).isEmpty();
    run(5);
    assertThat(tuning.congestion()).isEqualTo("bbr");
  }
}
