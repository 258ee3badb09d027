package io.fdt.udt.protocol.packet;

import io.netty.buffer.ByteBuf;

/**
 * A handshake packet: header, and six words.
 *
 * <pre>
 *   magic | initial sequence | segment size | request | socket id | cookie
 * </pre>
 *
 * @param initial number of the first packet of either direction, 31 bits
 * @param segment longest packet in bytes, with 28 for IP and UDP
 * @param request one of the constants
 * @param socket id of its sender
 * @param cookie zero in the first request
 */
public record Handshake(int initial, int segment, int request, int socket, int cookie) {
  /** A client's first request; also a server's answer with its cookie. */
  public static final int REQUEST = 1;

  /** The request with the cookie, and the answer to that. */
  public static final int CONCLUSION = -1;

  /** The server refuses the connection. */
  public static final int REFUSED = 1002;

  public static final int LENGTH = Packets.HEADER + 24;

  /** "FDT" and the version. */
  private static final int MAGIC = 0x4644_5402;

  private static final int LEAST_SEGMENT = 548;
  private static final int MOST_SEGMENT = 65_535;

  /** Whether these bytes are a handshake that this end understands, of exactly this length. */
  public static boolean isHandshake(ByteBuf packet, int at, int length) {
    return length == LENGTH
        && Packets.isControl(packet, at)
        && Packets.type(packet, at) == Packets.HANDSHAKE
        && packet.getInt(at + Packets.HEADER) == MAGIC;
  }

  /** Reads a handshake; only if {@link #isHandshake}. */
  public static Handshake read(ByteBuf packet, int at) {
    int fields = at + Packets.HEADER;
    return new Handshake(
        packet.getInt(fields + 4) & Packets.SEQUENCE_MASK,
        packet.getInt(fields + 8),
        packet.getInt(fields + 12),
        packet.getInt(fields + 16),
        packet.getInt(fields + 20));
  }

  /**
   * Appends the packet.
   *
   * @param destination socket id of the peer; zero for a listener
   */
  public void write(ByteBuf packet, long micros, int destination) {
    Packets.control(packet, Packets.HANDSHAKE, 0, micros, destination);
    packet.writeInt(MAGIC).writeInt(initial).writeInt(segment);
    packet.writeInt(request).writeInt(socket).writeInt(cookie);
  }

  /** Whether these values are valid for a connection. */
  public boolean isUsable() {
    return segment >= LEAST_SEGMENT && segment <= MOST_SEGMENT && socket != 0;
  }

  public Handshake withRequest(int newRequest, int newCookie) {
    return new Handshake(initial, segment, newRequest, socket, newCookie);
  }
}
