package io.fdt.core.transport;

import java.util.List;
import java.util.function.ToLongFunction;

/**
 * The state of the path of one stream (over TCP, Linux' TCP_INFO). Counters start with the stream.
 * Immutable.
 *
 * @param roundTripMicros smoothed
 * @param leastRoundTripMicros the least of the last minutes
 * @param segments sent, including retransmissions
 * @param retransmits segments sent again
 * @param busyMicros time with data to send
 * @param receiveWindowMicros the part of it limited by the receiver's window
 * @param sendBufferMicros the part of it limited by the own buffer
 * @param deliveryRate bytes per second that the peer acknowledged recently, while there was enough
 *     to send; 0 when unknown
 * @param windowBytes congestion window; 0 when unknown
 * @param queuedBytes in the system's buffer and not yet sent; 0 when unknown
 * @param arrivedBytes acknowledged by the peer, plus received from it, in any order; 0 when unknown
 */
public record PathState(
    long roundTripMicros,
    long leastRoundTripMicros,
    long segments,
    long retransmits,
    long busyMicros,
    long receiveWindowMicros,
    long sendBufferMicros,
    long deliveryRate,
    long windowBytes,
    long queuedBytes,
    long arrivedBytes) {
  /**
   * Combines the connections that carry one stream: sums, mean times, the least of least times.
   *
   * @param all one or more
   */
  public static PathState together(List<PathState> all) {
    return new PathState(
        mean(all, PathState::roundTripMicros),
        all.stream().mapToLong(PathState::leastRoundTripMicros).min().orElseThrow(),
        sum(all, PathState::segments),
        sum(all, PathState::retransmits),
        mean(all, PathState::busyMicros),
        mean(all, PathState::receiveWindowMicros),
        mean(all, PathState::sendBufferMicros),
        sum(all, PathState::deliveryRate),
        sum(all, PathState::windowBytes),
        sum(all, PathState::queuedBytes),
        sum(all, PathState::arrivedBytes));
  }

  private static long sum(List<PathState> all, ToLongFunction<PathState> part) {
    return all.stream().mapToLong(part).sum();
  }

  private static long mean(List<PathState> all, ToLongFunction<PathState> part) {
    return sum(all, part) / all.size();
  }
}
