package io.fdt.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.client.SourceListing;
import io.fdt.client.TransferRequest;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.spec.TransferSpec;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a worker claims next. */
class WorkSearchTest {
  private static final long SECOND = 1_000_000_000L;

  @TempDir Path directory;
  private Plan plan;

  /** Of two units. */
  @BeforeEach
  void makePlan() throws Exception {
    PlanHeader header =
        new PlanHeader(
            TransferRequest.Direction.PULL,
            TransferSpec.builder().source("/data").destination("/out").build(),
            Map.of(),
            new UnitLimits(1, 1),
            Duration.ofMinutes(2));
    Path where = directory.resolve("plan");
    try (Planner planner = Planner.start(where, header, problem -> {})) {
      SourceListing.Directory of =
          new SourceListing.Directory(BytePath.of("/data"), BytePath.of("data"));
      for (String name : List.of("a", "b")) {
        FileName file = FileName.of(name.getBytes(StandardCharsets.US_ASCII));
        planner.file(of, file, EntryKind.FILE, 1);
      }
      assertThat(planner.finish().units()).isEqualTo(2);
    }
    plan = Plan.open(where);
  }

  private WorkSearch worker(String name) throws Exception {
    byte[] beat =
        "{\"beat\":1,\"machine\":\"m\",\"process\":\"1@1\"}".getBytes(StandardCharsets.UTF_8);
    PlanFiles.write(plan.files().worker(name), beat);
    return new WorkSearch(plan, name, new WorkerOptions(0, 1, 1, 3, true), new WorkerListener() {});
  }

  private static Optional<String> claim(WorkSearch worker, long nowNanos, Ending ending)
      throws Exception {
    Optional<WorkSearch.Found> found = worker.next(nowNanos, true);
    if (found.isPresent()) {
      worker.claims().end(found.get().unit(), found.get().attempt(), ending);
    }
    return found.map(one -> one.unit() + " " + one.attempt());
  }

  /** Another attempt at the same unit may be about to end: three at once would all meet it. */
  @Test
  void whatThisWorkerFailedAtWaitsAndWhatHadFailedBeforeDoesNot() throws Exception {
    WorkSearch first = worker("first");
    assertThat(claim(first, 0, Ending.FAILED)).contains("000000 1");
    assertThat(claim(first, 0, Ending.OK)).contains("000001 1");

    assertThat(claim(first, 0, Ending.FAILED)).isEmpty();
    assertThat(claim(first, 4 * SECOND, Ending.FAILED)).isEmpty();
    assertThat(claim(first, 5 * SECOND, Ending.FAILED)).contains("000000 2");
    assertThat(claim(first, 6 * SECOND, Ending.FAILED)).isEmpty();

    assertThat(claim(worker("second"), 7 * SECOND, Ending.OK)).contains("000000 3");
  }
}
