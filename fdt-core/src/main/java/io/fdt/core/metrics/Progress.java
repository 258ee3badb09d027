package io.fdt.core.metrics;

import io.fdt.core.model.TransferFigures;

/**
 * The progress of one end of a session.
 *
 * @param streams open data streams; at a sender those in use
 * @param bytesChecked bytes that either end has re-read or synced to its device
 * @param segmentsRepeated segments that TCP has retransmitted on the data streams, as this end sees
 * @param bytesCarried bytes of data frames, or of their payloads, written to or read from the data
 *     streams, also in part; retransmissions count again
 * @param bytesWaiting bytes of blocks in memory now that wait for a stream or for a disk
 * @param current path of the file under way at this end, for people; empty for none
 */
public record Progress(
    TransferFigures figures,
    int streams,
    long bytesChecked,
    long segmentsRepeated,
    long bytesCarried,
    long bytesWaiting,
    String current) {
  /** No progress. */
  public static final Progress NONE = new Progress(TransferFigures.NONE, 0, 0, 0, 0, 0, "");
}
