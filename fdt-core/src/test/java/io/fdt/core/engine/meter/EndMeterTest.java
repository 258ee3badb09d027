package io.fdt.core.engine.meter;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.engine.DiskScheduler;
import io.fdt.core.storage.DiskId;
import io.fdt.core.tuning.DiskState;
import io.fdt.core.tuning.EndState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What one end uses. */
class EndMeterTest {
  @TempDir Path proc;

  private final CpuMeter cpu = new CpuMeter(System.nanoTime());
  private final DiskScheduler disks = new DiskScheduler("test", 2);

  @Test
  void memoryIsReadFromTheSystemsFiles() throws IOException {
    Files.writeString(
        proc.resolve("meminfo"),
        "MemTotal:       2000 kB\nMemFree:        1 kB\nMemAvailable:   500 kB\n");
    Files.createDirectory(proc.resolve("self"));
    Files.writeString(proc.resolve("self/status"), "Name:\tjava\nVmRSS:\t  300 kB\n");

    EndState end = new EndMeter(cpu, disks, proc).take(5, 7);

    assertThat(end.hostBytes()).isEqualTo(2000 << 10);
    assertThat(end.hostFreeBytes()).isEqualTo(500 << 10);
    assertThat(end.processBytes()).isEqualTo(300 << 10);
    assertThat(end.waitingBytes()).isEqualTo(5);
    assertThat(end.budgetBytes()).isEqualTo(7);
    assertThat(end.isKnown()).isTrue();
  }

  @Test
  void whatTheSystemDoesNotSayIsNotKnown() throws IOException {
    assertThat(new EndMeter(cpu, disks, proc).take(0, 1).hostBytes()).isZero();
    Files.writeString(proc.resolve("meminfo"), "MemTotal:       9999999999999999 kB\n");
    assertThat(new EndMeter(cpu, disks, proc).take(0, 1).hostBytes()).isZero();
  }

  @Test
  void thisSystemSaysAll() {
    EndState end = new EndMeter(cpu, disks).take(0, 1);
    assertThat(end.processBytes()).isBetween(1L << 20, end.hostBytes());
    assertThat(end.hostFreeBytes()).isBetween(1L, end.hostBytes());
  }

  @Test
  void aDiskSaysHowMuchWaitsForIt() throws InterruptedException {
    CountDownLatch begun = new CountDownLatch(2);
    CountDownLatch end = new CountDownLatch(1);
    try {
      for (int i = 0; i < 5; i++) {
        disks.submit(
            new DiskId("8:0"),
            () -> {
              begun.countDown();
              awaitQuietly(end);
            });
      }
      assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
      assertThat(disks.states()).containsExactly(new DiskState("8:0", 0, 3, 2));
    } finally {
      end.countDown();
      disks.close();
      disks.awaitEnd();
    }
    assertThat(disks.busiest(System.nanoTime())).isPositive();
    assertThat(disks.states().get(0).busy()).isPositive();
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await(30, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
