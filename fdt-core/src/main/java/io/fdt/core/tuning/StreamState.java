package io.fdt.core.tuning;

/**
 * One stream in about a second, as its sender knows it. Amounts in bytes; 0 where the system does
 * not say. Immutable.
 *
 * @param number that the client gave it
 * @param parked whether it is open and not used
 * @param bytes that went over it, headers included
 * @param roundTripMicros smoothed
 * @param leastRoundTripMicros the least of the last minutes
 * @param segments sent, those that were sent again included
 * @param retransmits segments that were sent again
 * @param windowBytes how much congestion control lets be under way
 * @param queuedBytes given to the system and not sent once
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
  /** Share of segments that were sent again, 0 to 1. */
  public double loss() {
    return segments == 0 ? 0 : Math.min(1, (double) retransmits / segments);
  }
}
