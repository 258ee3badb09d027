package io.fdt.plan.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.client.Transfer;
import io.fdt.client.TransferListener;
import io.fdt.client.TransferProgress;
import io.fdt.client.TransferReport;
import io.fdt.client.TransferRequest;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.TransferFigures;
import io.fdt.plan.Claims;
import io.fdt.plan.FilePerUnit;
import io.fdt.plan.Plan;
import io.fdt.plan.PlanFiles;
import io.fdt.plan.UnitState;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A worker, with transfers that end as the test says. */
class WorkerTest {
  private static final Duration ELAPSED = Duration.ofSeconds(1);
  private static final TransferReport OK =
      new TransferReport(
          "",
          Optional.empty(),
          "",
          new TransferFigures(
              new TransferFigures.Files(1, 0, 0, 0, 0, 0, 0),
              1,
              0,
              0,
              0,
              1,
              0,
              0,
              0,
              0,
              0,
              0,
              0,
              true),
          "",
          ELAPSED,
          List.of());

  @TempDir Path directory;

  private final List<Scripted> started = new ArrayList<>();

  /** A transfer that ends when the test says so, or when it is cancelled. */
  private static final class Scripted implements Transfer {
    final CompletableFuture<TransferReport> completion = new CompletableFuture<>();
    boolean isCancelled;

    @Override
    public TransferProgress progress() {
      throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<TransferReport> completion() {
      return completion;
    }

    @Override
    public void cancel() {
      isCancelled = true;
      completion.complete(failed(ErrorCode.CANCELLED));
    }
  }

  private static TransferReport failed(ErrorCode code) {
    return OK.withFailure(new FdtException(code, "as the test says"));
  }

  private static final EventFormat FORMAT =
      new EventFormat() {
        @Override
        public TransferListener files(Consumer<String> lines) {
          return problem -> {};
        }

        @Override
        public String failure(FdtException reason) {
          return "{}";
        }

        @Override
        public String summary(TransferReport report, int exitStatus) {
          return "{\"exit_status\":" + exitStatus + "}";
        }
      };

  /**
   * @param ends how the transfer of this number ends at once; null when it goes on
   */
  private Worker worker(
      Plan plan, int parallel, IntFunction<TransferReport> ends, WorkerListener listener) {
    return worker(plan, new WorkerOptions(0, 1, parallel, 1, true), ends, listener);
  }

  private Worker worker(
      Plan plan, WorkerOptions options, IntFunction<TransferReport> ends, WorkerListener listener) {
    Transfers transfers =
        (TransferRequest request, TransferListener files) -> {
          Scripted transfer = new Scripted();
          TransferReport end = ends.apply(started.size());
          started.add(transfer);
          if (end != null) {
            transfer.completion.complete(end);
          }
          return transfer;
        };
    return new Worker(plan, options, transfers, FORMAT, listener);
  }

  private static Map<String, UnitState> states(Plan plan) throws FdtException {
    return new Claims(plan.files(), "reader").list(PlanFiles.name(0));
  }

  @Test
  void aBusyServerIsWaitedForAndTheUnitsAreKept() throws Exception {
    Plan plan = FilePerUnit.plan(directory.resolve("plan"), 4);
    Map<String, Integer> refused = new HashMap<>();
    WorkerListener listener =
        new WorkerListener() {
          @Override
          public void busy(String unit, String reason) {
            refused.merge(unit, 1, Integer::sum);
          }
        };
    Worker worker = worker(plan, 4, n -> n < 4 ? failed(ErrorCode.BUSY) : OK, listener);

    assertThat(worker.run()).isEqualTo(Worker.Result.ALL_ENDED);

    assertThat(refused).hasSize(4).containsValue(1);
    assertThat(states(plan).values())
        .hasSize(4)
        .allMatch(state -> state.isDone() && state.attempt() == 1);
  }

  @Test
  void aWorkerThatDoesNotWaitEndsWhenNothingIsLeftToClaim() throws Exception {
    Plan plan = FilePerUnit.plan(directory.resolve("plan"), 2);
    Path claim = directory.resolve("plan/state/000/" + PlanFiles.name(1) + ".1.claim");
    Files.createDirectories(claim.getParent());
    Files.writeString(claim, "another-worker\n");
    WorkerListener listener =
        new WorkerListener() {
          @Override
          public void waiting() {
            throw new AssertionError("it waits");
          }
        };
    Worker worker = worker(plan, new WorkerOptions(0, 1, 1, 1, false), n -> OK, listener);

    assertThat(worker.run()).isEqualTo(Worker.Result.NOTHING_LEFT);
    assertThat(states(plan).get(PlanFiles.name(0)).isDone()).isTrue();
  }

  @Test
  void aWorkerThatLosesItsSessionsLetsItsOtherTransfersEnd() throws Exception {
    Plan plan = FilePerUnit.plan(directory.resolve("plan"), 6);
    WorkerListener listener =
        new WorkerListener() {
          private int lost;

          @Override
          public void ended(String unit, int attempt, TransferReport report) {
            if (report.failure().isPresent() && ++lost == 3) {
              started.get(0).completion.complete(OK);
            }
          }
        };
    Worker worker =
        worker(plan, 2, n -> n == 0 ? null : n < 4 ? failed(ErrorCode.UNREACHABLE) : OK, listener);

    assertThatThrownBy(worker::run)
        .isInstanceOfSatisfying(
            FdtException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNREACHABLE));

    assertThat(started.get(0).isCancelled).isFalse();
    assertThat(states(plan).get(PlanFiles.name(0)).isDone()).isTrue();
    assertThat(started).as("nothing is begun after the third loss").hasSize(4);
  }

  @Test
  void aWorkerThatIsToldToStopGivesItsUnitsBack() throws Exception {
    Plan plan = FilePerUnit.plan(directory.resolve("plan"), 2);
    Worker[] worker = new Worker[1];
    WorkerListener listener =
        new WorkerListener() {
          @Override
          public void started(String unit, int attempt) {
            if (unit.equals(PlanFiles.name(1))) {
              worker[0].stop();
            }
          }
        };
    worker[0] = worker(plan, 2, n -> null, listener);

    assertThat(worker[0].run()).isEqualTo(Worker.Result.STOPPED);

    assertThat(started).hasSize(2).allMatch(transfer -> transfer.isCancelled);
    assertThat(states(plan).values())
        .hasSize(2)
        .allMatch(state -> state.isOpen() && state.failures() == 0);
  }
}
