package io.fdt.client;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * How a transfer ended.
 *
 * @param sessionId the transfer's name in the logs of both ends
 * @param failure why it ended early; empty when it completed
 * @param failureMessage one line about {@code failure}
 * @param bytes payload bytes transferred
 * @param bytesKept bytes that earlier, interrupted transfers had written
 * @param wireBytes bytes that the data connections carried, headers and repetitions included
 * @param filesDone files transferred and verified
 * @param filesUnchanged files that were there already
 * @param filesDue in a dry run: files that would be transferred; otherwise 0
 * @param bytesDue in a dry run: bytes that would be transferred; otherwise 0
 * @param attributesChanged files and links that were there and got another mode, owner or time,
 *     unchanged files among them; in a dry run those that would get one, directories too
 * @param filesFailed files that did not arrive
 * @param directories directories made or found; in a dry run: that would be made
 * @param links symbolic links made; in a dry run: that would be
 * @param skipped devices, sockets and FIFOs, which are never copied
 * @param deleted names deleted because the source lacks them; in a dry run: that would be
 * @param blocksRepeated blocks and packs that were sent again; of a pull, those that came damaged:
 *     what was lost with a stream only the sender knows
 * @param construction how the digests of files were made; see {@link DoneFile#construction}
 * @param elapsed from the start of the connection to the end; of a network test, only while it
 *     measured
 * @param problems what did not arrive, the first {@link #MAX_PROBLEMS} of it, and what is wrong
 *     with the whole; a listener hears of all
 */
public record TransferReport(
    String sessionId,
    Optional<ErrorCode> failure,
    String failureMessage,
    long bytes,
    long bytesKept,
    long wireBytes,
    long filesDone,
    long filesUnchanged,
    long filesDue,
    long bytesDue,
    long attributesChanged,
    long filesFailed,
    long directories,
    long links,
    long skipped,
    long deleted,
    long blocksRepeated,
    String construction,
    Duration elapsed,
    List<FileProblem> problems) {

  /** How many problems a report keeps. Memory: about 200 bytes each. */
  public static final int MAX_PROBLEMS = 1000;

  /** That of a transfer that never began. */
  static TransferReport failed(FdtException failure, Duration elapsed) {
    return new TransferReport(
        "",
        Optional.of(failure.code()),
        failure.getMessage(),
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        "",
        elapsed,
        List.of());
  }

  /** The same, of a transfer that failed for this reason. */
  public TransferReport withFailure(FdtException cause) {
    return new TransferReport(
        sessionId,
        Optional.of(cause.code()),
        cause.getMessage(),
        bytes,
        bytesKept,
        wireBytes,
        filesDone,
        filesUnchanged,
        filesDue,
        bytesDue,
        attributesChanged,
        filesFailed,
        directories,
        links,
        skipped,
        deleted,
        blocksRepeated,
        construction,
        elapsed,
        problems);
  }

  /** The exit status of a command that did only this: 0 when everything is at the destination. */
  public int exitStatus() {
    if (failure.isPresent()) {
      return failure.get().exitStatus();
    }
    return filesFailed > 0 || refusedDeletion().isPresent() ? worstStatus() : 0;
  }

  /**
   * Why nothing was deleted: TOO_MANY where more names would have gone than may, SOURCE_EMPTY where
   * the source is empty; empty when nothing was refused.
   */
  public Optional<ErrorCode> refusedDeletion() {
    return problems.stream().filter(FileProblem::isOfDeletion).map(FileProblem::code).findFirst();
  }

  /** Whether a report that has {@code kept} problems already keeps this one, too. */
  static boolean keeps(FileProblem problem, int kept) {
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
