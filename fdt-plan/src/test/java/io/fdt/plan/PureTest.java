package io.fdt.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.plan.work.Retries;
import io.fdt.plan.work.Worker;
import io.fdt.plan.work.WorkerWatch;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What a worker decides, in virtual time. */
class PureTest {
  private static final long SECOND = 1_000_000_000L;

  @Test
  void aWorkerBeginsWithItsShareAndTheLargestOfIt() {
    long[] bytes = {1, 50, 3, 4, 9, 60, 2};

    assertThat(WorkOrder.of(bytes, 0, 2)).startsWith(4, 2, 6, 0).endsWith(5, 1, 3);
    assertThat(WorkOrder.of(bytes, 1, 2)).startsWith(5, 1, 3);
  }

  @Test
  void everyWorkerFindsEveryUnitOnce() {
    for (int count = 1; count <= 7; count++) {
      for (int index = 0; index < count + 2; index++) {
        int[] order = WorkOrder.of(new long[20], index, count);
        assertThat(Arrays.stream(order).sorted().toArray())
            .isEqualTo(IntStream.range(0, 20).toArray());
      }
    }
  }

  @Test
  void thievesBeginAtDifferentUnits() {
    Set<Integer> firstOfOthers = new HashSet<>();
    for (int index = 0; index < 4; index++) {
      firstOfOthers.add(WorkOrder.of(new long[400], index, 4)[100]);
    }
    assertThat(firstOfOthers).hasSize(4);
  }

  @Test
  void aSilentWorkerIsDeadAfterTheTakeoverTimeAndNotBefore() {
    WorkerWatch watch = new WorkerWatch(10 * SECOND);

    assertThat(watch.isDead("a", 5, 0)).isFalse();
    assertThat(watch.isDead("a", 5, 10 * SECOND - 1)).isFalse();
    assertThat(watch.isDead("a", 5, 10 * SECOND)).isTrue();
  }

  @Test
  void aBeatStartsTheTakeoverTimeAgain() {
    WorkerWatch watch = new WorkerWatch(10 * SECOND);

    assertThat(watch.isDead("a", 5, 0)).isFalse();
    assertThat(watch.isDead("a", 6, 9 * SECOND)).isFalse();
    assertThat(watch.isDead("a", 6, 18 * SECOND)).isFalse();
    assertThat(watch.isDead("a", 6, 19 * SECOND)).isTrue();
  }

  @Test
  void aWorkerWithoutAHeartbeatIsWatchedAsWell() {
    WorkerWatch watch = new WorkerWatch(10 * SECOND);

    assertThat(watch.isDead("a", -1, 0)).isFalse();
    assertThat(watch.isDead("b", -1, 5 * SECOND)).isFalse();
    assertThat(watch.isDead("a", -1, 10 * SECOND)).isTrue();
    assertThat(watch.isDead("b", -1, 10 * SECOND)).isFalse();
  }

  @Test
  void pausesBetweenAttemptsDouble() {
    Retries retries = new Retries(3);
    UnitState once = UnitState.NONE.with(1, null).with(1, UnitEnding.FAILED);
    UnitState twice = once.with(2, null).with(2, UnitEnding.FAILED);

    assertThat(retries.isDue("u", once, false, 0)).isFalse();
    assertThat(retries.isDue("u", once, false, 5 * SECOND - 1)).isFalse();
    assertThat(retries.isDue("u", once, false, 5 * SECOND)).isTrue();
    assertThat(retries.isDue("u", twice, false, 6 * SECOND)).isFalse();
    assertThat(retries.isDue("u", twice, false, 16 * SECOND - 1)).isFalse();
    assertThat(retries.isDue("u", twice, false, 16 * SECOND)).isTrue();
  }

  @Test
  void whatHadFailedBeforeAWorkerBeganIsTriedAtOnce() {
    UnitState failed = UnitState.NONE.with(1, null).with(1, UnitEnding.FAILED);

    assertThat(new Retries(2).isDue("u", failed, true, 0)).isTrue();
    assertThat(new Retries(1).isDue("u", failed, true, 0)).isFalse();
  }

  @Test
  void attemptsAreCountedNotClaims() {
    UnitState state = UnitState.NONE;
    for (int attempt = 1; attempt <= 5; attempt++) {
      state = state.with(attempt, null).with(attempt, UnitEnding.RELEASED);
    }
    state = state.with(6, null).with(6, UnitEnding.FAILED);

    assertThat(state.failures()).isEqualTo(1);
    assertThat(new Retries(2).isExhausted(state)).isFalse();
    assertThat(new Retries(1).isExhausted(state)).isTrue();
  }

  @Test
  void aStateIsThatOfTheHighestAttemptInAnyOrderOfNames() {
    UnitState oneWay = UnitState.NONE.with(1, null).with(1, UnitEnding.FAILED).with(2, null);
    UnitState otherWay = UnitState.NONE.with(2, null).with(1, UnitEnding.FAILED).with(1, null);

    assertThat(otherWay).isEqualTo(oneWay);
    assertThat(oneWay.isRunning()).isTrue();
    assertThat(oneWay.hasFailed()).isFalse();
  }

  @Test
  void whatIsDoneStaysDoneWhateverALateAttemptSays() {
    UnitState state =
        UnitState.NONE
            .with(1, null)
            .with(2, null)
            .with(1, UnitEnding.OK)
            .with(2, UnitEnding.FAILED);

    assertThat(state.isDone()).isTrue();
    assertThat(state.isOpen()).isFalse();
    assertThat(state.hasFailed()).isFalse();
  }

  @Test
  void aWorkerThatWaitsLooksAtMostATwentiethOfTheTime() {
    assertThat(Worker.pauseAfter(5_000_000_000L, 1_000_000L)).isEqualTo(5_000_000_000L);
    assertThat(Worker.pauseAfter(50_000_000L, 1_000_000_000L)).isEqualTo(20_000_000_000L);
  }
}
