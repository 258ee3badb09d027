package io.fdt.client;

import java.time.Duration;

/**
 * What the sessions of one transfer have done that ended before the one that runs now. Immutable.
 *
 * @param bytes payload that they moved; what was on its way at their ends counts again when it goes
 *     again
 * @param kept bytes that earlier transfers had written
 * @param unfinished bytes of files that they began and did not finish; the next session finds them
 * @param shown how far the transfer was, as it was shown last
 */
record PastSessions(
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
   * These and one that has ended.
   *
   * @param ended its own report
   * @param bytesOfDone sizes of the files that all of them have finished
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

  /** What a session found of files, without what these have left. */
  private long newlyKept(TransferReport next) {
    return Math.max(0, next.bytesKept() - unfinished);
  }

  /**
   * The report of the whole transfer.
   *
   * @param last of the last session; it has seen every file
   * @param pretended whether it was a dry run: then each session has told the same
   */
  TransferReport whole(TransferReport last, ToldOnce told, Duration elapsed, boolean pretended) {
    return new TransferReport(
        last.sessionId(),
        last.failure(),
        last.failureMessage(),
        bytes + last.bytes(),
        kept + newlyKept(last),
        wireBytes + last.wireBytes(),
        filesDone + last.filesDone() - told.movedAgain(),
        unchanged(last.filesUnchanged(), told, last.failure().isEmpty()),
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

  /** How far the whole transfer is. */
  TransferProgress whole(TransferProgress now, ToldOnce told, Duration elapsed) {
    boolean isKnown = now.totalsAreFinal();
    long total = bytes + now.bytesTotal();
    return new TransferProgress(
        bytes + now.bytesDone(),
        isKnown ? total : Math.max(total, shown.bytesTotal()),
        filesDone + now.filesDone() - told.movedAgain(),
        unchanged(now.filesUnchanged(), told, isKnown),
        now.filesFailed(),
        isKnown ? now.filesTotal() : Math.max(now.filesTotal(), shown.filesTotal()),
        isKnown,
        now.streams(),
        elapsed,
        now.stalledFor());
  }

  /** Until a session has seen all files it knows less than those before it. */
  private long unchanged(long found, ToldOnce told, boolean isAll) {
    long others = Math.max(0, found - told.movedBefore());
    return isAll ? others : Math.max(others, shown.filesUnchanged());
  }
}
