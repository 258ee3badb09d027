package io.fdt.plan.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.plan.FilePerUnit;
import io.fdt.plan.Plan;
import io.fdt.plan.UnitEnding;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a worker claims next. */
class WorkSearchTest {
  private static final long SECOND = 1_000_000_000L;

  @TempDir Path directory;
  private Plan plan;

  @BeforeEach
  void makePlan() throws Exception {
    plan = FilePerUnit.plan(directory.resolve("plan"), 2);
  }

  private WorkSearch worker(String name) throws Exception {
    return FilePerUnit.worker(plan, name, 0, 1);
  }

  private static Optional<String> claim(WorkSearch worker, long nowNanos, UnitEnding ending)
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
    assertThat(claim(first, 0, UnitEnding.FAILED)).contains("000000 1");
    assertThat(claim(first, 0, UnitEnding.OK)).contains("000001 1");

    assertThat(claim(first, 0, UnitEnding.FAILED)).isEmpty();
    assertThat(claim(first, 4 * SECOND, UnitEnding.FAILED)).isEmpty();
    assertThat(claim(first, 5 * SECOND, UnitEnding.FAILED)).contains("000000 2");
    assertThat(claim(first, 6 * SECOND, UnitEnding.FAILED)).isEmpty();

    assertThat(claim(worker("second"), 7 * SECOND, UnitEnding.OK)).contains("000000 3");
  }
}
