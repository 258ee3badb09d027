package io.fdt.core.transport;

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
    long arrivedBytes) {}
