package io.fdt.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.session.RandomDataset.Item;
import io.fdt.core.session.SimulatedReceiver.Target;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Thousands of datasets whose transfers die, at the sender or at the receiver, at any point, over a
 * bad network, and are begun again with what the destination holds.
 *
 * <p>What is checked: no file ever has its final name with wrong bytes; no range that the journal
 * holds is sent again (the receiver asserts that of every frame); in the end everything is there;
 * once more moves nothing.
 */
class RestartScheduleTest {
  private static final long FIRST_SEED = Long.getLong("fdt.restart.seed", 20261121);
  private static final int SCHEDULES = 3000;
  private static final int MOST_DEATHS = 5;

  /** Half of the transfers have more events than this, so that most deaths come in the middle. */
  private static final int LATEST_DEATH = 400;

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
    Map<Long, Target> targets = new HashMap<>();
    for (int deaths = random.nextInt(MOST_DEATHS) + 1; deaths > 0; deaths--) {
      die(random, dataset, targets);
      assertNothingWrong(dataset, targets);
    }
    SimulatedTransfer last = new SimulatedTransfer(random, dataset, targets);
    last.start();
    last.runOn();
    assertThat(last.isFinished()).as("the last transfer came to its end").isTrue();
    assertThat(last.receiver().session().openFiles()).isEmpty();
    bytesKept += last.receiver().session().bytesKept();
    assertEverythingIsThere(dataset, targets);
    SimulatedTransfer oneMore = new SimulatedTransfer(random, dataset, targets);
    oneMore.start();
    oneMore.runOn();
    assertThat(oneMore.isFinished()).as("once more").isTrue();
    assertThat(oneMore.receiver().intactFrames + oneMore.receiver().damagedFrames)
        .as("frames of one that was finished before")
        .isZero();
  }

  private void die(Random random, RandomDataset dataset, Map<Long, Target> targets) {
    SimulatedTransfer transfer = new SimulatedTransfer(random, dataset, targets);
    transfer.start();
    transfer.run(random.nextInt(LATEST_DEATH));
    deathsInTheMiddle += transfer.isFinished() ? 0 : 1;
    if (random.nextBoolean()) {
      transfer.killSender();
    } else {
      transfer.killReceiver();
    }
  }

  private static void assertNothingWrong(RandomDataset dataset, Map<Long, Target> targets) {
    targets.forEach(
        (id, target) -> {
          if (target.stored > 0) {
            assertContent(dataset.item(id), target);
          }
        });
  }

  private static void assertEverythingIsThere(RandomDataset dataset, Map<Long, Target> targets) {
    for (Item item : dataset.items()) {
      if (item.isFile()) {
        Target target = targets.get(item.entry().id());
        assertThat(target).as("%s", item).isNotNull();
        assertThat(target.stored).as("final names of %s", item).isEqualTo(1);
        assertContent(item, target);
      }
    }
  }

  private static void assertContent(Item item, Target target) {
    assertThat(Arrays.equals(target.bytes, item.content(0, target.bytes.length, 0)))
        .as("content of %s", item)
        .isTrue();
  }
}
