package io.fdt.udt.protocol.packet;

/**
 * The terms of a handshake. The ids of its ends are above 0; a later connection with encrypted
 * packets has the same ids with the highest bit set.
 *
 * @param initial number of the first packet of either direction
 * @param segment longest packet in bytes, with 28 for IP and UDP
 * @param ownSocket id of this end
 * @param peerSocket id of the peer
 * @param roundTripMicros measured by the handshake; 0 when unknown
 */
public record Terms(int initial, int segment, int ownSocket, int peerSocket, long roundTripMicros) {
  private static final int SEALED = 0x8000_0000;

  /** The maximum bytes of a datagram. */
  public int packetLength() {
    return segment - Packets.IP_AND_UDP;
  }

  /** The payload bytes of a full packet. */
  public int payload() {
    return packetLength() - Packets.HEADER - (isSealed() ? Sealing.OVERHEAD : Packets.TRAILER);
  }

  /** The terms of the connection with encrypted packets between the same ends. */
  public Terms sealed() {
    return new Terms(initial, segment, ownSocket | SEALED, peerSocket | SEALED, roundTripMicros);
  }

  /** Whether its packets are encrypted. */
  public boolean isSealed() {
    return ownSocket < 0;
  }
}
