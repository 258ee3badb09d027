package io.fdt.core.engine.meter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Offset.offset;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How busy the machine is, as /proc/stat has it. */
class CpuMeterTest {
  /** So long that this process's own share does not count. */
  private static final long LONG = 1_000_000_000_000L;

  @TempDir private Path directory;

  private ThreadLoad unknown() {
    return new ThreadLoad(0, directory.resolve("none"));
  }

  @Test
  void whatOthersUseCounts() throws IOException {
    Path statistics = directory.resolve("stat");
    Files.writeString(statistics, "cpu  100 0 100 800 0 0 0 0 0 0\ncpu0 1 2 3\n");
    CpuMeter meter = new CpuMeter(0, statistics, unknown());
    Files.writeString(statistics, "cpu  160 10 110 810 10 0 0 0 0 0\ncpu0 1 2 3\n");
    // 80 of 100 ticks: waiting for disks is no work
    assertThat(meter.take(LONG)).isCloseTo(0.8, offset(1e-9));
    assertThat(meter.own()).isLessThan(0.1);
    assertThat(meter.take(2 * LONG)).isLessThan(0.1);
  }

  @Test
  void withoutStatisticsThisProcessIsWhatIsKnown() throws IOException {
    CpuMeter meter = new CpuMeter(0, directory.resolve("none"), unknown());
    assertThat(meter.take(LONG)).isBetween(0.0, 0.1);
    Path odd = Files.writeString(directory.resolve("odd"), "nothing of the kind");
    assertThat(new CpuMeter(0, odd, unknown()).take(LONG)).isBetween(0.0, 0.1);
  }

  @Test
  void whatKeepsNoThreadOfOursWaitingDoesNotCount() throws IOException {
    Path statistics = directory.resolve("stat");
    Path task = Files.createDirectories(directory.resolve("task/17"));
    Files.writeString(task.resolve("comm"), "fdt-client-1-1\n");
    Files.writeString(statistics, "cpu  100 0 0 0 0 0 0 0 0 0\n");
    Files.writeString(task.resolve("schedstat"), "1 0 0\n");
    CpuMeter meter = new CpuMeter(0, statistics, new ThreadLoad(0, directory.resolve("task")));
    Files.writeString(statistics, "cpu  200 0 0 0 0 0 0 0 0 0\n");
    Files.writeString(task.resolve("schedstat"), LONG / 5 + " " + LONG / 10 + " 12\n");
    assertThat(meter.take(LONG)).isCloseTo(0.3, offset(1e-9));

    Files.writeString(statistics, "cpu  300 0 0 0 0 0 0 0 0 0\n");
    Files.writeString(task.resolve("schedstat"), LONG / 5 * 3 + " " + LONG / 10 * 3 + " 20\n");
    assertThat(meter.take(2 * LONG)).as("work spread over threads").isEqualTo(1);
  }
}
