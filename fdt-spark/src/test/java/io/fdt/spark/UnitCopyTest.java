package io.fdt.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.client.FileProblem;
import io.fdt.client.Transfer;
import io.fdt.client.TransferListener;
import io.fdt.client.TransferProgress;
import io.fdt.client.TransferReport;
import io.fdt.client.TransferRequest;
import io.fdt.core.error.ErrorCode;
import io.fdt.plan.Transfers;
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

  /** The file fails with the next problem; without one it arrives. */
  private Transfer start(TransferRequest request, TransferListener listener) {
    started++;
    boolean fails = !problems.isEmpty();
    List<FileProblem> failed = fails ? List.of(problems.remove(0)) : List.of();
    failed.forEach(listener::problem);
    return new Ended(
        new TransferReport(
            "",
            Optional.empty(),
            "",
            fails ? 0 : 1,
            0,
            1,
            fails ? 0 : 1,
            0,
            0,
            0,
            0,
            failed.size(),
            0,
            0,
            0,
            0,
            0,
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
}
