package io.fdt.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.storage.DiskId;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Threads for disks: how many, and how busy. */
@Timeout(30)
class DiskSchedulerTest {
  private final DiskScheduler disks = new DiskScheduler("test", 1);
  private final DiskId disk = new DiskId("7");

  @AfterEach
  void close() {
    disks.close();
    disks.awaitEnd();
  }

  @Test
  void oneThatGetsMoreThreadsWorksOnMoreAtOnce() throws InterruptedException {
    CountDownLatch together = new CountDownLatch(3);
    CountDownLatch end = new CountDownLatch(1);
    for (int i = 0; i < 3; i++) {
      disks.submit(
          disk,
          () -> {
            together.countDown();
            await(end);
          });
    }
    disks.setThreadsPerDisk(3);
    assertThat(together.await(20, TimeUnit.SECONDS)).isTrue();
    end.countDown();

    disks.setThreadsPerDisk(1);
    CountDownLatch done = new CountDownLatch(10);
    for (int i = 0; i < 10; i++) {
      disks.submit(disk, done::countDown);
    }
    assertThat(done.await(20, TimeUnit.SECONDS)).isTrue();
    assertThat(disks.threadsPerDisk()).isEqualTo(1);
  }

  @Test
  void workCountsOnceAndIdlenessDoesNot() {
    long begin = System.nanoTime();
    disks.busiest(begin);
    disks.submit(
        disk,
        () -> {
          long start = System.nanoTime();
          while (System.nanoTime() - start < 1_000_000) {
            Thread.onSpinWait();
          }
        });
    disks.close();
    disks.awaitEnd(); // work counts when it has ended
    // Of a time that is given as an hour little was work; and of the next hour nothing.
    double share = disks.busiest(begin + TimeUnit.HOURS.toNanos(1));
    assertThat(share).isGreaterThan(0).isLessThan(0.1);
    assertThat(disks.busiest(begin + TimeUnit.HOURS.toNanos(2))).isLessThan(share);
  }

  @Test
  void aWaitForMemoryIsNoWorkOfTheDisk() {
    long begin = System.nanoTime();
    disks.busiest(begin);
    disks.submit(
        disk,
        () -> {
          DiskThread.waits();
          long start = System.nanoTime();
          while (System.nanoTime() - start < 50_000_000) {
            Thread.onSpinWait();
          }
          DiskThread.works();
        });
    disks.close();
    disks.awaitEnd();
    assertThat(disks.busiest(System.nanoTime())).isLessThan(0.5);
  }

  /** A read that hangs is the disk's, not the network's. */
  @Test
  void workCountsBeforeItHasEnded() throws InterruptedException {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    disks.submit(
        disk,
        () -> {
          begun.countDown();
          await(end);
        });
    assertThat(begun.await(20, TimeUnit.SECONDS)).isTrue();
    long now = System.nanoTime();
    disks.busiest(now);
    assertThat(disks.busiest(now + TimeUnit.HOURS.toNanos(1))).isEqualTo(1);
    end.countDown();
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
