package io.fdt.client;

import java.time.Duration;

/**
 * The progress of a transfer at one moment.
 *
 * @param bytesDone payload bytes that the destination has
 * @param bytesTotal bytes of all files found so far that have to be transferred
 * @param filesDone files that are in place and verified
 * @param filesUnchanged files that were there already
 * @param filesFailed files that will not arrive
 * @param filesTotal files found so far
 * @param totalsAreFinal whether the whole source has been walked and every file in it has been
 *     compared with the destination; until then the totals are lower bounds
 * @param streams data connections that are open now
 * @param elapsed time since the start
 * @param stalledFor how long no data has moved; zero while it moves
 */
public record TransferProgress(
    long bytesDone,
    long bytesTotal,
    long filesDone,
    long filesUnchanged,
    long filesFailed,
    long filesTotal,
    boolean totalsAreFinal,
    int streams,
    Duration elapsed,
    Duration stalledFor) {

  /** Before anything has happened. */
  static TransferProgress none(Duration elapsed) {
    return new TransferProgress(0, 0, 0, 0, 0, 0, false, 0, elapsed, Duration.ZERO);
  }
}
