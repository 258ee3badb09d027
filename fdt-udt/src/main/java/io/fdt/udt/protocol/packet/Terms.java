package io.fdt.udt.protocol.packet;

/**
 * The terms of a handshake. The ids of its ends are above 0; those of the connection of encrypted
 * packets that may follow one of clear packets are the same with the highest bit.
 *
 * @param initial number of the first packet of either direction
 * @param segment longest packet in bytes, with 28 for IP and UDP
 * @param ownSocket id of this end
 * @param peerSocket id of the peer
 * @param roundTripMicros as the handshake took it; 0 unknown
 */
public record Terms(int initial, int segment, int ownSocket, int peerSocket, long roundTripMicros) {
  private static final int SEALED = 0x8000_0000;

  /** Bytes of a whole packet in its datagram. */
  public int packetLength() {
    return segment - Packets.IP_AND_UDP;
  }

  /** Bytes of a full packet's payload. */
  public int payload() {
    return packetLength() - Packets.HEADER - (isSealed() ? Sealing.OVERHEAD : Packets.TRAILER);
  }

  /** The terms of the connection of encrypted packets between the same ends. */
  public Terms sealed() {
    return new Terms(initial, segment, ownSocket | SEALED, peerSocket | SEALED, roundTripMicros);
  }

  /** Whether its packets are encrypted. */
  public boolean isSealed() {
    return ownSocket < 0;
  }
}
