package io.fdt.core.tuning;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The limit of a transfer while the sender has little in memory. */
class BottleneckTest {
  @ParameterizedTest
  @CsvSource({
    // Names are known; fill of the sender's and the receiver's memory; source and destination busy
    "false, 0.0, 0.0, 0.1, 0.1, NAMES",
    "false, 0.0, 0.0, 0.1, 0.9, NAMES",
    "false, 0.0, 0.0, 0.6, 0.1, SOURCE_DISK",
    "false, 0.9, 0.0, 0.1, 0.1, NETWORK",
    // One file, which is read: all of it is in the system's buffers.
    "true, 0.0, 0.0, 0.0, 0.0, NETWORK",
    "true, 0.0, 0.0, 0.0, 0.9, DESTINATION_DISK",
    "true, 0.0, 0.6, 0.0, 0.1, DESTINATION_DISK",
    "true, 0.0, 0.0, 0.6, 0.1, SOURCE_DISK",
    "true, 0.9, 0.0, 0.1, 0.1, NETWORK"
  })
  void namesLimitNothingOnceAllAreKnown(
      boolean namesKnown,
      double senderFill,
      double receiverFill,
      double sourceBusy,
      double destinationBusy,
      Bottleneck limit) {
    assertThat(
            Bottleneck.of(
                sample(namesKnown, senderFill, receiverFill, sourceBusy, destinationBusy, 0)))
        .isEqualTo(limit);
  }

  /** A window may still limit what is on its way. */
  @ParameterizedTest
  @CsvSource({"true, RECEIVE_WINDOW", "false, NAMES"})
  void whatIsOnItsWayWaitsForWindows(boolean namesKnown, Bottleneck limit) {
    assertThat(Bottleneck.of(sample(namesKnown, 0, 0, 0, 0, 0.9))).isEqualTo(limit);
  }

  private static Sample sample(
      boolean namesKnown,
      double senderFill,
      double receiverFill,
      double sourceBusy,
      double destinationBusy,
      double receiveWindow) {
    return new Sample(
        1,
        3_000_000,
        4,
        2_000,
        0,
        37_000,
        37_000,
        receiveWindow,
        0,
        senderFill,
        receiverFill,
        sourceBusy,
        destinationBusy,
        0.1,
        0.1,
        0.1,
        false,
        namesKnown);
  }
}
