package io.fdt.core.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The locks of a home; what is kept there has tests of its own. */
class HomeDirectoryTest {
  @TempDir Path directory;

  /** The operating system's lock alone would fail, and not wait, within one process. */
  @Test
  void threadsOfOneProcessWaitForEachOthersLocks() throws Exception {
    CountDownLatch inside = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    AtomicInteger order = new AtomicInteger();
    CompletableFuture<Integer> first =
        CompletableFuture.supplyAsync(
            () ->
                locked(
                    () -> {
                      inside.countDown();
                      await(goOn);
                      return order.incrementAndGet();
                    }));
    await(inside);
    AtomicBoolean ran = new AtomicBoolean();
    new HomeDirectory(directory)
        .lockedAtOnce(
            "lock",
            () -> {
              ran.set(true);
              return null;
            });
    CompletableFuture<Integer> second = new CompletableFuture<>();
    Thread waiting = new Thread(() -> second.complete(locked(order::incrementAndGet)));
    waiting.start();
    goOn.countDown();

    assertThat(ran).isFalse();
    assertThat(first.get(30, TimeUnit.SECONDS)).isEqualTo(1);
    assertThat(second.get(30, TimeUnit.SECONDS)).isEqualTo(2);
    waiting.join();
  }

  private Integer locked(HomeDirectory.Action<Integer> action) {
    try {
      return new HomeDirectory(directory).locked("lock", action);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
