package io.fdt.plan.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.plan.Claims;
import io.fdt.plan.FilePerUnit;
import io.fdt.plan.Plan;
import io.fdt.plan.PlanFiles;
import io.fdt.plan.UnitEnding;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Many workers of one plan, in virtual time on a real directory. {@code -Dfdt.plan.workers=1000}
 * for more of them; strace counts what that costs (docs/PLAN.md).
 */
@Timeout(3600)
class ManyWorkersTest {
  private static final int WORKERS = Integer.getInteger("fdt.plan.workers", 20);
  private static final int UNITS_OF_WORKER = 10;
  private static final long LEAST_UNIT_NANOS = 24_000_000_000L;
  private static final long UNIT_SPREAD_NANOS = 20_000_000_000L;
  private static final long FIRST_PAUSE_NANOS = 50_000_000L;
  private static final long LAST_PAUSE_NANOS = 5_000_000_000L;

  @TempDir Path directory;

  /** A worker that copies nothing. */
  private static final class Copier {
    final WorkSearch search;
    Optional<WorkSearch.Found> unit = Optional.empty();
    long pauseNanos = FIRST_PAUSE_NANOS;
    int copied;

    Copier(WorkSearch search) {
      this.search = search;
    }
  }

  private record Event(long atNanos, int worker) implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      int order = Long.compare(atNanos, other.atNanos);
      return order == 0 ? Integer.compare(worker, other.worker) : order;
    }
  }

  @Test
  void eachUnitIsCopiedOnceAndAllWorkersHaveWork() throws Exception {
    Plan plan = FilePerUnit.plan(directory.resolve("plan"), WORKERS * UNITS_OF_WORKER);
    SplittableRandom random = new SplittableRandom(20261124);
    List<Copier> workers = new ArrayList<>();
    PriorityQueue<Event> events = new PriorityQueue<>();
    for (int index = 0; index < WORKERS; index++) {
      workers.add(new Copier(FilePerUnit.worker(plan, "worker-" + index, index, WORKERS)));
      events.add(new Event(random.nextLong(1_000_000_000L), index));
    }
    long idleLooks = 0;
    long nowNanos = 0;
    int ended = 0;
    while (ended < WORKERS) {
      Event event = events.remove();
      nowNanos = event.atNanos();
      Copier worker = workers.get(event.worker());
      if (worker.unit.isPresent()) {
        WorkSearch.Found done = worker.unit.get();
        worker.search.claims().end(done.unit(), done.attempt(), UnitEnding.OK);
        worker.copied++;
      }
      worker.unit = worker.search.next(nowNanos, true);
      if (worker.unit.isPresent()) {
        worker.pauseNanos = FIRST_PAUSE_NANOS;
        long tookNanos = LEAST_UNIT_NANOS + random.nextLong(UNIT_SPREAD_NANOS);
        events.add(new Event(nowNanos + tookNanos, event.worker()));
      } else if (worker.search.isOver()) {
        ended++;
      } else {
        idleLooks++;
        events.add(new Event(nowNanos + worker.pauseNanos, event.worker()));
        worker.pauseNanos = Math.min(2 * worker.pauseNanos, LAST_PAUSE_NANOS);
      }
    }
    System.out.printf(
        "%,d workers, %,d units: %.1f s of virtual time, %.1f idle looks of a worker%n",
        WORKERS, plan.totals().units(), nowNanos / 1e9, idleLooks / (double) WORKERS);

    assertThat(workers).allMatch(worker -> worker.copied >= UNITS_OF_WORKER / 2);
    assertThat(workers.stream().mapToInt(worker -> worker.copied).sum())
        .isEqualTo(WORKERS * UNITS_OF_WORKER);
    for (int unit = 0; unit < plan.totals().units(); unit += 1000) {
      assertThat(new Claims(plan.files(), "reader").list(PlanFiles.name(unit)).values())
          .allMatch(state -> state.isDone() && state.attempt() == 1);
    }
  }
}
