package io.fdt.core.buffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class BufferBudgetTest {
  private static final int DEADLINE_SECONDS = 20;

  private final BufferBudget budget = new BufferBudget(100);

  @Test
  void itGivesUpToItsLimitAtOnce() throws InterruptedException {
    assertThat(budget.take(60)).isTrue();
    assertThat(budget.take(40)).isTrue();
    assertThat(budget.taken()).isEqualTo(100);
    budget.giveBack(100);
    assertThat(budget.taken()).isZero();
  }

  @Test
  void whoWantsMoreWaitsUntilOthersHaveGivenBack() throws Exception {
    budget.take(60);
    CompletableFuture<Boolean> second = new CompletableFuture<>();
    Thread taker = taker(41, second);
    awaitWaiting(taker);
    assertThat(second).isNotDone();
    budget.giveBack(60);
    assertThat(second.get(DEADLINE_SECONDS, TimeUnit.SECONDS)).isTrue();
    assertThat(budget.taken()).isEqualTo(41);
  }

  @Test
  void oneThatWantsMoreThanTheLimitIsLetThroughAlone() throws InterruptedException {
    assertThat(budget.take(500)).isTrue();
    assertThat(budget.taken()).isEqualTo(500);
  }

  @Test
  void moreThanWasTakenCannotBeGivenBack() throws InterruptedException {
    budget.take(10);
    assertThatThrownBy(() -> budget.giveBack(11)).isInstanceOf(IllegalStateException.class);
    assertThat(budget.taken()).isEqualTo(10);
  }

  @Test
  void closingWakesAllWhoWait() throws Exception {
    budget.take(100);
    List<CompletableFuture<Boolean>> waiting = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      CompletableFuture<Boolean> one = new CompletableFuture<>();
      waiting.add(one);
      awaitWaiting(taker(1, one));
    }
    budget.close();
    budget.close();
    for (CompletableFuture<Boolean> one : waiting) {
      assertThat(one.get(DEADLINE_SECONDS, TimeUnit.SECONDS)).isFalse();
    }
    assertThat(budget.take(1)).isFalse();
    assertThat(budget.taken()).isEqualTo(100);
    budget.giveBack(100);
  }

  @Test
  void manyTakersNeverHoldMoreThanTheLimitAndAllGetTheirTurn() throws Exception {
    long seed = 20261121;
    List<CompletableFuture<Boolean>> ends = new ArrayList<>();
    for (int taker = 0; taker < 8; taker++) {
      Random random = new Random(seed + taker);
      CompletableFuture<Boolean> end = new CompletableFuture<>();
      ends.add(end);
      start(
          end,
          () -> {
            for (int i = 0; i < 3000; i++) {
              int bytes = 1 + random.nextInt(60);
              if (!budget.take(bytes) || budget.taken() > budget.limit()) {
                return false;
              }
              budget.giveBack(bytes);
            }
            return true;
          });
    }
    for (CompletableFuture<Boolean> end : ends) {
      assertThat(end.get(DEADLINE_SECONDS, TimeUnit.SECONDS)).as("seed %d", seed).isTrue();
    }
    assertThat(budget.taken()).isZero();
  }

  private interface Work {
    boolean run() throws InterruptedException;
  }

  private Thread taker(int bytes, CompletableFuture<Boolean> result) {
    return start(result, () -> budget.take(bytes));
  }

  private static Thread start(CompletableFuture<Boolean> result, Work work) {
    Thread thread =
        new Thread(
            () -> {
              try {
                result.complete(work.run());
              } catch (InterruptedException | RuntimeException e) {
                result.completeExceptionally(e);
              }
            });
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private static void awaitWaiting(Thread thread) {
    Awaitility.await()
        .atMost(Duration.ofSeconds(DEADLINE_SECONDS))
        .until(() -> thread.getState() == Thread.State.WAITING);
  }
}
