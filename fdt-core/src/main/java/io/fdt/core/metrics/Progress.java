package io.fdt.core.metrics;

/**
 * The progress of one end of a session.
 *
 * @param bytesDone payload bytes that the destination has written
 * @param bytesTotal bytes of the files to transfer, as far as they are known
 * @param filesDone files in place and verified
 * @param filesUnchanged files that were already there
 * @param failures entries of any kind that failed
 * @param filesTotal files found so far
 * @param directories directories made or found; in a dry run: to be made
 * @param links symbolic links made; in a dry run: to be made
 * @param skipped entries that are never copied
 * @param blocksRepeated blocks and packs sent again; at a receiver, those received damaged
 * @param totalsAreFinal whether the manifest is complete and every file in it is decided
 * @param bytesKept bytes that earlier transfers had written already
 * @param streams open data streams; at a sender those in use
 * @param wireBytes bytes on the data streams, with headers and retransmissions
 * @param bytesChecked bytes that either end has re-read or synced to its device
 * @param filesDue files that a dry run would move
 * @param attributesChanged files and links that were there, and whose mode, owner or time was
 *     changed, or in a dry run would be, directories too; a sender knows it at the end
 * @param deleted names removed because the source lacks them; in a dry run: to be removed
 * @param segmentsRepeated segments that TCP has retransmitted on the data streams, as this end sees
 * @param bytesCarried bytes of data frames, or of their payloads, written to or read from the data
 *     streams, also in part; retransmissions count again
 * @param bytesWaiting bytes of blocks in memory now that wait for a stream or for a disk
 */
public record Progress(
    long bytesDone,
    long bytesTotal,
    long filesDone,
    long filesUnchanged,
    long failures,
    long filesTotal,
    long directories,
    long links,
    long skipped,
    long blocksRepeated,
    boolean totalsAreFinal,
    long bytesKept,
    int streams,
    long wireBytes,
    long bytesChecked,
    long filesDue,
    long attributesChanged,
    long deleted,
    long segmentsRepeated,
    long bytesCarried,
    long bytesWaiting) {
  /** No progress. */
  public static final Progress NONE =
      new Progress(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, false, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
}
