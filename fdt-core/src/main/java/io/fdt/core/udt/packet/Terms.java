package io.fdt.core.udt.packet;

/**
 * The terms of a handshake. The ids of FDT's ends are above 0; those of the connection of encrypted
 * packets that may follow one of clear packets are the same with the highest bit.
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
  private static final int SEALED = 0x8000_0000;

  /** Bytes of a whole packet in its datagram. */
  public int packetLength() {
    return segment - Packets.IP_AND_UDP;
  }

  /** Bytes of a full packet's payload. */
  public int payload() {
    int clear = checked ? Packets.TRAILER : 0;
    return packetLength() - Packets.HEADER - (isSealed() ? Sealing.OVERHEAD : clear);
  }

  /** The terms of the connection of encrypted packets between the same ends. */
  public Terms sealed() {
    return new Terms(
        initial,
        segment,
        peerWindow,
        ownSocket | SEALED,
        peerSocket | SEALED,
        checked,
        roundTripMicros);
  }

  /** Whether its packets are encrypted. */
  public boolean isSealed() {
    return ownSocket < 0;
  }
}
