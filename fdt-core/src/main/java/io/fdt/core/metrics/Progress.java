package io.fdt.core.metrics;

/**
 * What one end of a session has done so far.
 *
 * @param bytesDone payload bytes that the destination has written
 * @param bytesTotal bytes of the files that have to move, as far as they are known
 * @param filesDone files in place and verified
 * @param filesUnchanged files that were there already
 * @param failures entries of any kind that will not arrive
 * @param filesTotal files found so far
 * @param directories directories made or found; in a dry run: that would be made
 * @param links symbolic links made; in a dry run: that would be
 * @param skipped things that are never copied
 * @param blocksRepeated blocks and packs that have left again; at a receiver, those that came
 *     damaged
 * @param totalsAreFinal whether the manifest has ended and every file in it has its decision
 * @param bytesKept bytes that earlier transfers had written already
 * @param streams data streams that are open; at a sender those that it uses
 * @param wireBytes bytes on the data streams, headers and repetitions included
 * @param bytesChecked bytes that either end has read again or forced to its device
 * @param filesDue files that a dry run would move
 * @param attributesChanged files and links that were there, and whose mode, owner or time was
 *     changed, or in a dry run would be, directories too; a sender knows it at the end
 * @param deleted names that the source lacks and that are gone; in a dry run: would go
 * @param segmentsRepeated segments that TCP has sent again on the data streams, as this end knows
 * @param bytesCarried bytes of frames with data, or of their payloads, that were given to the data
 *     streams or have come from them, in part or whole; what goes again counts again
 * @param bytesWaiting bytes of blocks that wait in memory now: for a stream, or for a disk
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
  /** Nothing yet. */
  public static final Progress NONE =
      new Progress(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, false, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
}
