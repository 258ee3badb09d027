package io.fdt.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.client.FileProblem;
import io.fdt.client.Transfer;
import io.fdt.client.TransferListener;
import io.fdt.client.TransferProgress;
import io.fdt.client.TransferReport;
import io.fdt.client.TransferRequest;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.TransferFigures;
import io.fdt.plan.work.Transfers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** One attempt at a unit, with transfers that end as the test says. */
class UnitCopyTest {
  private static final FileProblem FULL =
      new FileProblem("f", false, ErrorCode.STORAGE_FULL, "no space for 'f'; free some");

  private final List<FileProblem> problems = new ArrayList<>();
  private final List<ErrorCode> failures = new ArrayList<>();
  private int started;

  /** A transfer that has ended. */
  private record Ended(TransferReport report) implements Transfer {
    @Override
    public TransferProgress progress() {
      throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<TransferReport> completion() {
      return CompletableFuture.completedFuture(report);
    }

    @Override
    public void cancel() {}
  }

  /** It ends with the next failure; else the file fails with the next problem, or arrives. */
  private Transfer start(TransferRequest request, TransferListener listener) {
    started++;
    Optional<ErrorCode> failure =
        failures.isEmpty() ? Optional.empty() : Optional.of(failures.remove(0));
    boolean fails = failure.isPresent() || !problems.isEmpty();
    List<FileProblem> failed =
        problems.isEmpty() || failure.isPresent() ? List.of() : List.of(problems.remove(0));
    failed.forEach(listener::problem);
    return new Ended(
        new TransferReport(
            "",
            failure,
            failure.map(ErrorCode::name).orElse(""),
            new TransferFigures(
                new TransferFigures.Files(fails ? 0 : 1, 0, 0, failed.size(), 0, 0, 0),
                fails ? 0 : 1,
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
            Duration.ofSeconds(1),
            failed));
  }

  private UnitResult copy() throws Exception {
    Transfers transfers = this::start;
    return new UnitCopy(transfers, null, new RowCollector(false, false)).run(7, 1);
  }

  @Test
  void aFileThatMayNotFailAgainIsTriedThreeTimes() throws Exception {
    problems.addAll(List.of(FULL, FULL));

    UnitResult result = copy();

    assertThat(started).isEqualTo(3);
    assertThat(result.exitStatus()).isZero();
  }

  @Test
  void thenItHasFailed() throws Exception {
    problems.addAll(List.of(FULL, FULL, FULL, FULL));

    UnitResult result = copy();

    assertThat(started).isEqualTo(3);
    assertThat(result.exitStatus()).isEqualTo(6);
    assertThat(result.figures().messages()).containsExactly(FULL.message());
  }

  @Test
  void aFileThatFailsForGoodIsTriedOnce() throws Exception {
    problems.add(new FileProblem("f", false, ErrorCode.PERMISSION, "permission denied: 'f'"));

    UnitResult result = copy();

    assertThat(started).isEqualTo(1);
    assertThat(result.exitStatus()).isEqualTo(1);
  }

  @Test
  void aTaskWaitsForAServerThatIsBusy() throws Exception {
    failures.addAll(List.of(ErrorCode.BUSY, ErrorCode.BUSY));

    UnitResult result = copy();

    assertThat(started).isEqualTo(3);
    assertThat(result.exitStatus()).isZero();
  }

  @Test
  void aTaskWaitsForTheAttemptThatWritesItsFile() throws Exception {
    FileProblem inUse = new FileProblem("f", false, ErrorCode.IN_USE, "it is being written");
    problems.addAll(List.of(inUse, inUse, inUse, inUse));

    UnitResult result = copy();

    assertThat(started).isEqualTo(5);
    assertThat(result.exitStatus()).isZero();
  }

  @Test
  void aTaskThatCannotReachAServerFailsSoThatSparkRunsItAgain() {
    failures.add(ErrorCode.UNREACHABLE);

    assertThatThrownBy(this::copy)
        .isInstanceOfSatisfying(
            FdtException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNREACHABLE));
    assertThat(started).isEqualTo(1);
  }
}
