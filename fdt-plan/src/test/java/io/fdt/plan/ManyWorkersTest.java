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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
    Plan plan = plan();
    SplittableRandom random = new SplittableRandom(20261124);
    List<Copier> workers = new ArrayList<>();
    PriorityQueue<Event> events = new PriorityQueue<>();
    for (int index = 0; index < WORKERS; index++) {
      String name = "worker-" + index;
      byte[] beat =
          "{\"beat\":1,\"machine\":\"m\",\"process\":\"1@1\"}".getBytes(StandardCharsets.UTF_8);
      PlanFiles.write(plan.files().worker(name), beat);
      WorkerOptions options = new WorkerOptions(index, WORKERS, 1, 3, true);
      workers.add(new Copier(new WorkSearch(plan, name, options, new WorkerListener() {})));
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
        worker.search.claims().end(done.unit(), done.attempt(), Ending.OK);
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

  private Plan plan() throws Exception {
    PlanHeader header =
        new PlanHeader(
            TransferRequest.Direction.PULL,
            TransferSpec.builder().source("/data").destination("/out").build(),
            Map.of(),
            new UnitLimits(1, 1),
            Duration.ofMinutes(2));
    Path plan = directory.resolve("plan");
    try (Planner planner = Planner.start(plan, header, problem -> {})) {
      SourceListing.Directory of =
          new SourceListing.Directory(BytePath.of("/data"), BytePath.of("data"));
      for (int i = 0; i < WORKERS * UNITS_OF_WORKER; i++) {
        byte[] name = ("f" + i).getBytes(StandardCharsets.US_ASCII);
        planner.file(of, FileName.of(name), EntryKind.FILE, 1);
      }
      assertThat(planner.finish().units()).isEqualTo(WORKERS * UNITS_OF_WORKER);
    }
    return Plan.open(plan);
  }
}
