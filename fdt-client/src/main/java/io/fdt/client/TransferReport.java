package io.fdt.client;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.TransferFigures;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The outcome of a transfer.
 *
 * @param sessionId the transfer's name in the logs of both ends
 * @param failure why it ended early; empty when it completed
 * @param failureMessage one line about {@code failure}
 * @param construction of the files' digests; see {@link DoneFile#construction}
 * @param elapsed from the start of the connection to the end; for a network test, only while
 *     measuring
 * @param problems failed and skipped files, the first {@link #MAX_PROBLEMS} of them, and problems
 *     of the whole; a listener receives all
 */
public record TransferReport(
    String sessionId,
    Optional<ErrorCode> failure,
    String failureMessage,
    TransferFigures figures,
    String construction,
    Duration elapsed,
    List<FileProblem> problems) {

  /** Most problems in a report. Memory: about 200 bytes each. */
  public static final int MAX_PROBLEMS = 1000;

  /** The report of a transfer that never began. */
  public static TransferReport failed(FdtException failure, Duration elapsed) {
    return new TransferReport(
        "",
        Optional.of(failure.code()),
        failure.getMessage(),
        TransferFigures.NONE,
        "",
        elapsed,
        List.of());
  }

  /** A copy with a failure. */
  public TransferReport withFailure(FdtException cause) {
    return new TransferReport(
        sessionId,
        Optional.of(cause.code()),
        cause.getMessage(),
        figures,
        construction,
        elapsed,
        problems);
  }

  /** The exit status of a command that did only this: 0 when everything is at the destination. */
  public int exitStatus() {
    if (failure.isPresent()) {
      return failure.get().exitStatus();
    }
    return figures.files().failed() > 0 || refusedDeletion().isPresent() ? worstStatus() : 0;
  }

  /**
   * Why the deletion was refused: TOO_MANY above the limit of names, SOURCE_EMPTY for an empty
   * source; empty when it was not.
   */
  public Optional<ErrorCode> refusedDeletion() {
    return problems.stream().filter(FileProblem::isOfDeletion).map(FileProblem::code).findFirst();
  }

  /** Whether a report with {@code kept} problems has room for this one. */
  public static boolean keeps(FileProblem problem, int kept) {
    boolean isOfTheWhole = problem.path().isEmpty();
    return kept < (isOfTheWhole ? 2 * MAX_PROBLEMS : MAX_PROBLEMS);
  }

  /**
   * One status for all files when they failed for one reason that has a status of its own;
   * otherwise 1.
   */
  private int worstStatus() {
    List<Integer> statuses =
        problems.stream()
            .filter(p -> !p.skipped())
            .map(p -> p.code().exitStatus())
            .distinct()
            .toList();
    return statuses.size() == 1 ? statuses.get(0) : 1;
  }
}
