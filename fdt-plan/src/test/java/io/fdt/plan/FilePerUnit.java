package io.fdt.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.client.SourceListing;
import io.fdt.client.TransferRequest;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.spec.TransferSpec;
import io.fdt.plan.work.WorkSearch;
import io.fdt.plan.work.WorkerListener;
import io.fdt.plan.work.WorkerOptions;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/** Plans whose units are one small file each, and their workers. */
public final class FilePerUnit {
  private static final byte[] BEAT =
      "{\"beat\":1,\"machine\":\"m\",\"process\":\"1@1\"}".getBytes(StandardCharsets.UTF_8);

  private FilePerUnit() {}

  /** Makes a plan in a directory that does not exist. */
  public static Plan plan(Path directory, int units) throws Exception {
    PlanHeader header =
        new PlanHeader(
            TransferRequest.Direction.PULL,
            TransferSpec.builder().source("/data").destination("/out").build(),
            Map.of(),
            new UnitLimits(1, 1),
            Duration.ofMinutes(2));
    try (Planner planner = Planner.start(directory, header, problem -> {})) {
      SourceListing.Directory of =
          new SourceListing.Directory(BytePath.of("/data"), BytePath.of("data"));
      for (int i = 0; i < units; i++) {
        planner.file(of, FileName.of("f" + i), EntryKind.FILE, 1);
      }
      assertThat(planner.finish().units()).isEqualTo(units);
    }
    return Plan.open(directory);
  }

  /** A worker whose heart has beaten once. */
  public static WorkSearch worker(Plan plan, String name, int index, int workers) throws Exception {
    PlanFiles.write(plan.files().worker(name), BEAT);
    WorkerOptions options = new WorkerOptions(index, workers, 1, 3, true);
    return new WorkSearch(plan, name, options, new WorkerListener() {});
  }
}
