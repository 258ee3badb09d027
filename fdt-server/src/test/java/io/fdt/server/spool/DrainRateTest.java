package io.fdt.server.spool;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** How many bytes may wait for the other side of a connection. */
class DrainRateTest {
  private static final int MIB = 1 << 20;

  private final DrainRate rate = new DrainRate(0);
  private long now;

  private void carries(int bytesPerSecond, int seconds) {
    for (int second = 0; second < seconds; second++) {
      now += TimeUnit.SECONDS.toNanos(1);
      rate.left(bytesPerSecond, now);
    }
  }

  @Test
  void littleIsKeptWhileTheRateIsUnknown() {
    assertThat(rate.mostKept()).isEqualTo(4 * MIB);
    carries(8 * MIB, 4);
    assertThat(rate.mostKept()).as("a socket's buffer may have taken it").isEqualTo(4 * MIB);
  }

  @Test
  void whatLeavesInThirtySecondsIsKept() {
    carries(2 * MIB, 5);

    assertThat(rate.mostKept()).isEqualTo(60L * MIB);
  }

  @Test
  void theBestRateSoFarCounts() {
    carries(2 * MIB, 5);
    carries(MIB, 60);

    assertThat(rate.mostKept()).isEqualTo(60L * MIB);
  }
}
