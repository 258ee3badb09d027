package io.fdt.client;

import java.time.Duration;

/**
 * The progress of a transfer at one moment.
 *
 * @param bytesDone payload bytes that the destination has
 * @param bytesTotal bytes of all files found so far that have to be transferred
 * @param filesDone files in place and verified
 * @param filesUnchanged files that were already there
 * @param filesFailed files that failed
 * @param filesTotal files found so far
 * @param totalsAreFinal whether the whole source has been walked and every file in it compared with
 *     the destination; until then the totals are lower bounds
 * @param streams open data connections
 * @param elapsed time since the start
 * @param stalledFor time without any data; zero while data flows
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

  /** Before the start. */
  public static TransferProgress none(Duration elapsed) {
    return new TransferProgress(0, 0, 0, 0, 0, 0, false, 0, elapsed, Duration.ZERO);
  }
}
