package io.fdt.udt.protocol;

/**
 * The sent and waiting packets of one end of a connection.
 *
 * @param packets data packets sent, including retransmissions
 * @param repeated retransmitted data packets
 * @param windowBytes payload that rate control allows in flight
 * @param queuedBytes payload not sent yet
 */
public record UdtOutput(long packets, long repeated, long windowBytes, long queuedBytes) {}
