package io.fdt.client.transfer;

import io.fdt.client.TransferProgress;
import io.fdt.client.TransferReport;
import io.fdt.core.model.TransferFigures;
import java.time.Duration;

/**
 * The totals of a transfer's sessions that ended before the current one. Immutable.
 *
 * @param moved sums over sessions: bytes (those in flight at the end of a session count again after
 *     retransmission), finished files, changed attributes, deletions and repeated blocks
 * @param unfinished bytes of files that they left incomplete; the next session finds them
 * @param shown the progress as last displayed
 */
public record PastSessions(TransferFigures moved, long unfinished, TransferProgress shown) {
  static final PastSessions NONE =
      new PastSessions(TransferFigures.NONE, 0, TransferProgress.none(Duration.ZERO));

  /**
   * Records an ended session of a dry run, which moves nothing: the next session reports the same.
   */
  PastSessions after(TransferProgress shownLast) {
    return new PastSessions(moved, unfinished, shownLast);
  }

  /**
   * Adds an ended session.
   *
   * @param ended its own report
   * @param bytesOfDone sizes of the files that all sessions have finished
   */
  PastSessions and(TransferReport ended, long bytesOfDone, TransferProgress shownLast) {
    TransferFigures last = ended.figures();
    TransferFigures sum =
        moved.plus(
            new TransferFigures(
                new TransferFigures.Files(
                    last.files().done(), 0, 0, 0, 0, 0, last.files().replaced()),
                last.bytesDone(),
                0,
                newlyKept(last),
                last.bytesMatched(),
                last.wireBytes(),
                last.attributesChanged(),
                0,
                0,
                last.linksReplaced(),
                0,
                last.deleted(),
                last.blocksRepeated(),
                false));
    return new PastSessions(
        sum,
        Math.max(0, sum.bytesDone() + sum.bytesKept() + sum.bytesMatched() - bytesOfDone),
        shownLast);
  }

  /** Bytes that a session found from earlier transfers, without those of earlier sessions. */
  private long newlyKept(TransferFigures next) {
    return Math.max(0, next.bytesKept() - unfinished);
  }

  /**
   * The report of the whole transfer.
   *
   * @param last of the last session, which has seen every file
   */
  TransferReport whole(TransferReport last, ReportedOnce reported, Duration elapsed) {
    return new TransferReport(
        last.sessionId(),
        last.failure(),
        last.failureMessage(),
        whole(last.figures(), reported, last.failure().isEmpty()),
        last.construction(),
        elapsed,
        last.problems());
  }

  /** The progress of the whole transfer. */
  TransferProgress whole(TransferProgress now, ReportedOnce reported, Duration elapsed) {
    return new TransferProgress(
        whole(now.figures(), reported, now.figures().totalsAreFinal()),
        now.streams(),
        elapsed,
        now.stalledFor(),
        now.current());
  }

  /** Before a session has seen all files, totals and unchanged files of earlier ones are larger. */
  private TransferFigures whole(TransferFigures now, ReportedOnce reported, boolean isAll) {
    TransferFigures sum = moved.plus(now);
    TransferFigures before = shown.figures();
    TransferFigures.Files files = now.files();
    long unchanged = Math.max(0, files.unchanged() - reported.movedBefore());
    long total = moved.bytesDone() + now.bytesTotal();
    return new TransferFigures(
        new TransferFigures.Files(
            sum.files().done() - reported.movedAgain(),
            isAll ? unchanged : Math.max(unchanged, before.files().unchanged()),
            files.due(),
            files.failed(),
            files.failedBytes(),
            isAll ? files.total() : Math.max(files.total(), before.files().total()),
            sum.files().replaced()),
        sum.bytesDone(),
        isAll ? total : Math.max(total, before.bytesTotal()),
        moved.bytesKept() + newlyKept(now),
        sum.bytesMatched(),
        sum.wireBytes(),
        sum.attributesChanged(),
        now.directories(),
        now.links(),
        sum.linksReplaced(),
        now.skipped(),
        sum.deleted(),
        sum.blocksRepeated(),
        now.totalsAreFinal());
  }
}
