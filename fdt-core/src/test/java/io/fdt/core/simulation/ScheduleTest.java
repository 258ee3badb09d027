package io.fdt.core.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.metrics.Progress;
import org.junit.jupiter.api.Test;

/**
 * Thousands of transfers over a bad network with bad disks; see {@link SimulatedTransfer} for what
 * is checked.
 */
class ScheduleTest {
  private static final long FIRST_SEED = Long.getLong("fdt.schedule.seed", 20261121);

  /** {@code make soak} runs more. */
  private static final int SCHEDULES = Integer.getInteger("fdt.schedules", 1000);

  @Test
  void everyScheduleEndsWithExactlyWhatTheFaultsAllow() {
    long steps = 0;
    long damaged = 0;
    for (long seed = FIRST_SEED; seed < FIRST_SEED + SCHEDULES; seed++) {
      SimulatedTransfer transfer = new SimulatedTransfer(seed);
      try {
        transfer.run();
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
      }
      steps += transfer.steps();
      damaged += transfer.network.damagedFrames();
    }
    assertThat(steps).as("events in all schedules").isGreaterThan(100L * SCHEDULES);
    assertThat(damaged).as("damaged frames in all schedules").isGreaterThan(SCHEDULES);
  }

  @Test
  void whereNothingFailsNothingIsSentTwiceAndBothEndsCountTheBytesOfTheFiles() {
    for (long seed = FIRST_SEED; seed < FIRST_SEED + SCHEDULES; seed++) {
      SimulatedTransfer transfer = SimulatedTransfer.withoutFaults(seed);
      transfer.run();
      Progress atSender = transfer.sender.session.progress();
      Progress atReceiver = transfer.receiver.session.progress();
      assertThat(atSender.figures().bytesDone())
          .as("seed %d", seed)
          .isEqualTo(atSender.figures().bytesTotal());
      assertThat(atReceiver.figures().bytesDone())
          .as("seed %d", seed)
          .isEqualTo(atSender.figures().bytesTotal());
      assertThat(atSender.figures().blocksRepeated()).as("seed %d", seed).isZero();
      assertThat(atReceiver.figures().blocksRepeated()).as("seed %d", seed).isZero();
    }
  }
}
