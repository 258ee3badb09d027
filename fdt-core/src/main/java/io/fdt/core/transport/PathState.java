package io.fdt.core.transport;

import java.util.List;
import java.util.function.ToLongFunction;

/**
 * What the system knows of the path of one stream (over TCP, Linux' TCP_INFO). What counts up
 * counts from its beginning. Immutable.
 *
 * @param roundTripMicros smoothed
 * @param leastRoundTripMicros the least of the last minutes
 * @param segments sent, those that were sent again included
 * @param retransmits segments that were sent again
 * @param busyMicros time in which there was something to send
 * @param receiveWindowMicros the part of it in which the receiver's window was full
 * @param sendBufferMicros the part of it in which the own buffer was too small
 * @param deliveryRate bytes per second that the peer acknowledged lately, while there was enough to
 *     send; 0 when that is not known
 * @param windowBytes how much congestion control lets be under way; 0 when that is not known
 * @param queuedBytes given to the system and not sent once; 0 when that is not known
 * @param arrivedBytes that the peer has acknowledged, and that have come from it, in whatever
 *     order; 0 when that is not known
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
   * That of several connections which carry one stream: sums, means of times, the least of least
   * times.
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
