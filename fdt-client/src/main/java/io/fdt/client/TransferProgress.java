package io.fdt.client;

import java.time.Duration;

/**
 * How far a transfer is, at one moment.
 *
 * @param bytesDone payload bytes that the destination has, in bytes
 * @param bytesTotal bytes of all files that were found so far and have to move
 * @param filesDone files that are in place and verified
 * @param filesUnchanged files that were there already
 * @param filesFailed files that will not arrive
 * @param filesTotal files found so far
 * @param totalsAreFinal whether the whole source has been walked and every file in it has been
 *     compared with the destination; until then the totals are lower bounds
 * @param streams data connections that are open now
 * @param elapsed time since the start
 * @param stalledFor how long nothing has moved; zero while something moves
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
