package io.fdt.udt.protocol;

/**
 * The packets that one end of a connection has sent, and has to send.
 *
 * @param packets of data, each as often as it was sent
 * @param repeated packets of data that were sent again
 * @param windowBytes payload that rate control lets be under way
 * @param queuedBytes payload that was written and not sent once
 */
public record UdtOutput(long packets, long repeated, long windowBytes, long queuedBytes) {}
