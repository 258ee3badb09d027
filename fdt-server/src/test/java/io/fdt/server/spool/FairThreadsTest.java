package io.fdt.server.spool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class FairThreadsTest {
  private static final Duration DEADLINE = Duration.ofSeconds(20);

  private final FairThreads threads = new FairThreads("test-fair", DEADLINE.toSeconds());
  private final Semaphore goOn = new Semaphore(0);
  private final List<String> begun = new CopyOnWriteArrayList<>();

  @AfterEach
  void end() {
    goOn.release(1000);
    threads.close();
    assertThat(threads.isIdle()).isTrue();
  }

  private void execute(String owner, int count) {
    for (int i = 0; i < count; i++) {
      threads.execute(
          owner,
          () -> {
            begun.add(owner);
            goOn.acquireUninterruptibly();
          });
    }
  }

  private void awaitBegun(int count) {
    await().atMost(DEADLINE).dontCatchUncaughtExceptions().until(() -> begun.size() >= count);
  }

  private long begun(String owner) {
    return begun.stream().filter(owner::equals).count();
  }

  @Test
  void anOwnerHasAQuarterOfTheThreads() {
    execute("alice", 20);
    execute("bob", 1);
    awaitBegun(5);
    assertThat(begun("alice")).isEqualTo(4);
    assertThat(begun("bob")).isEqualTo(1);
  }

  @Test
  void ownersTakeTurnsWhenAllThreadsAreBusy() {
    for (String owner : List.of("a", "b", "c", "d")) {
      execute(owner, 4);
    }
    awaitBegun(16);
    execute("e", 3);
    execute("f", 3);
    for (int i = 1; i <= 4; i++) {
      goOn.release();
      awaitBegun(16 + i);
    }
    assertThat(begun("e")).isEqualTo(2);
    assertThat(begun("f")).isEqualTo(2);
  }

  @Test
  void workThatFailsKeepsNoThread() {
    for (int i = 0; i < 20; i++) {
      threads.execute(
          "alice",
          () -> {
            begun.add("alice");
            throw new IllegalStateException("expected in this test");
          });
    }
    awaitBegun(20);
    execute("alice", 1);
    awaitBegun(21);
  }

  @Test
  void whatWaitsIsDoneBeforeTheEndAndNothingAfterwards() {
    execute("alice", 20);
    goOn.release(20);
    threads.close();
    assertThat(begun).hasSize(20);
    assertThatThrownBy(() -> execute("alice", 1)).isInstanceOf(RejectedExecutionException.class);
  }
}
