package io.fdt.core.tuning;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What limits a test from memory to memory. */
class PathLimitTest {
  @ParameterizedTest
  @CsvSource({
    // Mbit/s of 4 streams, least round trip (us), shares of time, busy processors, known hosts
    "540, 150000, 0.0, 0.9, 0.2, true, SEND_BUFFER",
    "540, 150000, 0.0, 0.9, 1.0, true, SEND_BUFFER",
    "540, 150000, 0.9, 0.0, 1.0, true, RECEIVE_WINDOW",
    // A receiver that is too busy to read fills its window, too, but not with what is under way.
    "4000, 40, 0.9, 0.0, 1.0, true, CPU",
    "4000, 40, 0.0, 0.9, 1.0, true, CPU",
    "540, 150000, 0.0, 0.9, 1.0, false, CPU",
    "540, 150000, 0.0, 0.9, 0.2, false, SEND_BUFFER",
    "540, 150000, 0.0, 0.0, 0.2, true, NETWORK",
    "540, 150000, 0.0, 0.0, 0.9, true, CPU"
  })
  void aWindowThatIsFullLimits(
      double mbit,
      long micros,
      double receiveWindow,
      double sendBuffer,
      double cpu,
      boolean known,
      Bottleneck limit) {
    HostLimits host = known ? Hosts.stock() : Hosts.with();
    Sample seen =
        new Sample(
            2,
            Math.round(2 * mbit * 125_000),
            4,
            1000,
            0,
            micros,
            micros,
            receiveWindow,
            sendBuffer,
            0.1,
            0,
            0.1,
            0,
            cpu,
            cpu,
            cpu,
            false,
            false);
    assertThat(PathLimit.of(seen, host, host)).isEqualTo(limit);
  }
}
