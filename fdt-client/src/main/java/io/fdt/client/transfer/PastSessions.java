package io.fdt.client.transfer;

import io.fdt.client.TransferProgress;
import io.fdt.client.TransferReport;
import java.time.Duration;

/**
 * The totals of a transfer's sessions that ended before the current one. Immutable.
 *
 * @param bytes payload that they transferred; bytes in flight at their ends count again when they
 *     are sent again
 * @param kept bytes that earlier transfers had written
 * @param unfinished bytes of files that they left incomplete; the next session finds them
 * @param shown the progress as last displayed
 */
public record PastSessions(
    long bytes,
    long kept,
    long unfinished,
    long wireBytes,
    long filesDone,
    long attributesChanged,
    long deleted,
    long blocksRepeated,
    TransferProgress shown) {
  static final PastSessions NONE =
      new PastSessions(0, 0, 0, 0, 0, 0, 0, 0, TransferProgress.none(Duration.ZERO));

  /**
   * Adds an ended session.
   *
   * @param ended its own report
   * @param bytesOfDone sizes of the files that all sessions have finished
   */
  PastSessions and(TransferReport ended, long bytesOfDone, TransferProgress shownLast) {
    long newlyKept = newlyKept(ended);
    return new PastSessions(
        bytes + ended.bytes(),
        kept + newlyKept,
        Math.max(0, bytes + ended.bytes() + kept + newlyKept - bytesOfDone),
        wireBytes + ended.wireBytes(),
        filesDone + ended.filesDone(),
        attributesChanged + ended.attributesChanged(),
        deleted + ended.deleted(),
        blocksRepeated + ended.blocksRepeated(),
        shownLast);
  }

  /** Bytes that a session found from earlier transfers, without those of earlier sessions. */
  private long newlyKept(TransferReport next) {
    return Math.max(0, next.bytesKept() - unfinished);
  }

  /**
   * The report of the whole transfer.
   *
   * @param last of the last session, which has seen every file
   * @param pretended whether it is a dry run, in which each session reports the same
   */
  TransferReport whole(
      TransferReport last, ReportedOnce reported, Duration elapsed, boolean pretended) {
    return new TransferReport(
        last.sessionId(),
        last.failure(),
        last.failureMessage(),
        bytes + last.bytes(),
        kept + newlyKept(last),
        wireBytes + last.wireBytes(),
        filesDone + last.filesDone() - reported.movedAgain(),
        unchanged(last.filesUnchanged(), reported, last.failure().isEmpty()),
        last.filesDue(),
        last.bytesDue(),
        pretended ? last.attributesChanged() : attributesChanged + last.attributesChanged(),
        last.filesFailed(),
        last.directories(),
        last.links(),
        last.skipped(),
        pretended ? last.deleted() : deleted + last.deleted(),
        blocksRepeated + last.blocksRepeated(),
        last.construction(),
        elapsed,
        last.problems());
  }

  /** The progress of the whole transfer. */
  TransferProgress whole(TransferProgress now, ReportedOnce reported, Duration elapsed) {
    boolean isKnown = now.totalsAreFinal();
    long total = bytes + now.bytesTotal();
    return new TransferProgress(
        bytes + now.bytesDone(),
        isKnown ? total : Math.max(total, shown.bytesTotal()),
        filesDone + now.filesDone() - reported.movedAgain(),
        unchanged(now.filesUnchanged(), reported, isKnown),
        now.filesFailed(),
        isKnown ? now.filesTotal() : Math.max(now.filesTotal(), shown.filesTotal()),
        isKnown,
        now.streams(),
        elapsed,
        now.stalledFor());
  }

  /** Before a session has seen all files, the count of earlier ones is larger. */
  private long unchanged(long found, ReportedOnce reported, boolean isAll) {
    long others = Math.max(0, found - reported.movedBefore());
    return isAll ? others : Math.max(others, shown.filesUnchanged());
  }
}
