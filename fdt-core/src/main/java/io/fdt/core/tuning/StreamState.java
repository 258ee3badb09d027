package io.fdt.core.tuning;

/**
 * The state of one stream at its sender, over about a second. Amounts in bytes; 0 if unknown.
 * Immutable.
 *
 * @param number assigned by the client
 * @param parked whether it is open but not used
 * @param bytes carried, including headers
 * @param roundTripMicros smoothed
 * @param leastRoundTripMicros minimum of the last minutes
 * @param segments sent, including retransmissions
 * @param retransmits retransmitted segments
 * @param windowBytes congestion window
 * @param queuedBytes unsent bytes in the system
 */
public record StreamState(
    int number,
    boolean parked,
    long bytes,
    long roundTripMicros,
    long leastRoundTripMicros,
    long segments,
    long retransmits,
    long windowBytes,
    long queuedBytes) {
  /** Share of retransmitted segments, 0 to 1. */
  public double loss() {
    return segments == 0 ? 0 : Math.min(1, (double) retransmits / segments);
  }
}
