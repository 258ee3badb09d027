package io.fdt.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.client.SourceListing;
import io.fdt.client.TransferRequest;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.spec.TransferSpec;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Plans many files that exist nowhere; {@code -Dfdt.plan.entries=N} for more of them, {@code
 * -Dfdt.plan.directory=DIR} for another place than the temporary directory.
 */
@Timeout(3600)
class PlanScaleTest {
  private static final int ENTRIES = Integer.getInteger("fdt.plan.entries", 200_000);
  private static final int FILES_OF_DIRECTORY = 1000;

  /** What the heap may hold more after a plan than before: an index, and the names of a unit. */
  private static final long MOST_LIVE_BYTES = 64L << 20;

  @TempDir Path temporary;

  @Test
  void memoryDoesNotGrowWithTheNumberOfFiles() throws Exception {
    String place = System.getProperty("fdt.plan.directory");
    Path directory = (place == null ? temporary : Path.of(place)).resolve("plan");
    TransferSpec spec =
        TransferSpec.builder().source("/data").destination("/out").recursive(true).build();
    PlanHeader header =
        new PlanHeader(
            TransferRequest.Direction.PULL,
            spec,
            Map.of("server", "h:1"),
            UnitLimits.DEFAULT,
            Duration.ofMinutes(1));
    long before = liveBytes();
    long live = 0;
    long beganNanos = System.nanoTime();
    PlanTotals totals;
    try (Planner planner = Planner.start(directory, header, problem -> {})) {
      feed(planner, 0, ENTRIES - 1);
      live = liveBytes();
      feed(planner, ENTRIES - 1, ENTRIES);
      totals = planner.finish();
    }
    long plannedNanos = System.nanoTime();
    Plan plan = Plan.open(directory);
    long lists = 0;
    for (int unit = 0; unit < totals.units(); unit += Math.max(1, totals.units() / 100)) {
      lists += plan.transfer(unit).spec().sources().size();
    }
    long openBytes = liveBytes();
    System.out.printf(
        "%,d entries, %,d units: %.1f s to plan, %.1f s to open; live heap %.1f MiB at the end of"
            + " planning, %.1f MiB with the plan open, %.1f MiB before; peak heap used %.1f MiB%n",
        totals.files(),
        totals.units(),
        (plannedNanos - beganNanos) / 1e9,
        (System.nanoTime() - plannedNanos) / 1e9,
        live / 1048576.0,
        openBytes / 1048576.0,
        before / 1048576.0,
        peakBytes() / 1048576.0);

    assertThat(totals.files()).isEqualTo(ENTRIES);
    assertThat(lists).isPositive();
    assertThat(live - before).isLessThan(MOST_LIVE_BYTES);
    assertThat(openBytes - before).isLessThan(MOST_LIVE_BYTES);
  }

  private static void feed(Planner planner, int from, int to) throws FdtException {
    SourceListing.Directory directory = null;
    for (int i = from; i < to; i++) {
      if (directory == null || i % FILES_OF_DIRECTORY == 0) {
        String name = "d%06d".formatted(i / FILES_OF_DIRECTORY);
        directory =
            new SourceListing.Directory(BytePath.of("/data/" + name), BytePath.of("data/" + name));
      }
      byte[] name = ("f" + i).getBytes(StandardCharsets.US_ASCII);
      planner.file(directory, FileName.of(name), EntryKind.FILE, i % 65_536);
    }
  }

  /** What is left after a collection. */
  private static long liveBytes() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  private static long peakBytes() {
    return ManagementFactory.getMemoryPoolMXBeans().stream()
        .filter(pool -> pool.getType() == java.lang.management.MemoryType.HEAP)
        .mapToLong(pool -> pool.getPeakUsage().getUsed())
        .sum();
  }
}
