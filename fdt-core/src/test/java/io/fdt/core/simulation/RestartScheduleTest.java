package io.fdt.core.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.session.RandomDataset;
import io.fdt.core.spec.SessionDeadlines;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Thousands of datasets whose transfers die, at the sender or at the receiver, at any point, over a
 * bad network, and are begun again with what the destination holds.
 *
 * <p>What is checked: no file ever has its final name with wrong bytes; no range that the journal
 * holds is sent again (the destination asserts that of every write); in the end everything is
 * there; once more moves nothing.
 */
class RestartScheduleTest {
  private static final long FIRST_SEED = Long.getLong("fdt.restart.seed", 20261121);

  /** {@code make soak} runs more. */
  private static final int SCHEDULES = Integer.getInteger("fdt.restarts", 500);

  private static final int MOST_DEATHS = 5;

  /** Half of the transfers have more events than this, so that most deaths come in the middle. */
  private static final int LATEST_DEATH = 500;

  private int deathsInTheMiddle;
  private long bytesKept;

  @Test
  void whatDiesAnywhereIsContinuedAndEndsWithExactlyWhatTheSourceHas() {
    System.out.printf("seeds %d to %d%n", FIRST_SEED, FIRST_SEED + SCHEDULES - 1);
    for (long seed = FIRST_SEED; seed < FIRST_SEED + SCHEDULES; seed++) {
      try {
        dieAndEnd(new Random(seed));
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
      }
    }
    assertThat(deathsInTheMiddle).as("deaths in the middle").isGreaterThan(SCHEDULES);
    assertThat(bytesKept).as("bytes that were kept").isGreaterThan(100L * SCHEDULES);
  }

  private void dieAndEnd(Random random) {
    RandomDataset dataset = RandomDataset.sound(random);
    SimulatedDestination destination = new SimulatedDestination(dataset, random);
    for (int deaths = random.nextInt(MOST_DEATHS) + 1; deaths > 0; deaths--) {
      die(transfer(random, dataset, destination), random);
      destination.assertNothingWrong();
    }
    SimulatedTransfer last = transfer(random, dataset, destination);
    last.start();
    last.runOn();
    last.assertFinished();
    bytesKept += last.receiver.session.progress().figures().bytesKept();
    destination.assertEverythingIsThere();
    SimulatedTransfer oneMore = transfer(random, dataset, destination);
    oneMore.start();
    oneMore.runOn();
    oneMore.assertFinished();
    assertThat(oneMore.network.intactFrames() + oneMore.network.damagedFrames())
        .as("frames of one that was finished before")
        .isZero();
  }

  private static SimulatedTransfer transfer(
      Random random, RandomDataset dataset, SimulatedDestination destination) {
    return new SimulatedTransfer(random, dataset, destination, SessionDeadlines.DEFAULT);
  }

  private void die(SimulatedTransfer transfer, Random random) {
    transfer.start();
    transfer.run(random.nextInt(LATEST_DEATH));
    deathsInTheMiddle += transfer.isFinished() ? 0 : 1;
    if (random.nextBoolean()) {
      transfer.killSender();
    } else {
      transfer.killReceiver();
    }
  }
}
