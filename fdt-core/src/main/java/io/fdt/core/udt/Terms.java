package io.fdt.core.udt;

/**
 * What a handshake has agreed on.
 *
 * @param initial number of the first packet of either direction
 * @param segment longest packet in bytes, with 28 for IP and UDP
 * @param peerWindow packets that the peer can receive ahead
 * @param ownSocket id of this end
 * @param peerSocket id of the peer
 * @param checked whether packets end with a CRC32C, and acknowledgements have the two more fields
 * @param roundTripMicros as the handshake took it; 0 unknown
 */
public record Terms(
    int initial,
    int segment,
    int peerWindow,
    int ownSocket,
    int peerSocket,
    boolean checked,
    long roundTripMicros) {
  /** Bytes of a whole packet in its datagram. */
  int packetLength() {
    return segment - Packets.IP_AND_UDP;
  }

  /** Bytes of a full packet's payload. */
  int payload() {
    return packetLength() - Packets.HEADER - (checked ? Packets.TRAILER : 0);
  }
}
