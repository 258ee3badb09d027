package io.fdt.core.udt.packet;

import io.netty.buffer.ByteBuf;

/**
 * A handshake packet: header, and twelve words.
 *
 * <pre>
 *   version 4 | stream 1 | initial sequence | segment size | window, packets | request
 *   socket id | cookie | address | extension: magic | flags | 0
 * </pre>
 *
 * libudt writes the words of the address in its host's byte order, and looks at none of the four;
 * of an IPv4 address it uses the first. FDT's extension is in the other three. A libudt server
 * sends them back as they came, so that an offer and its answer have different magic words.
 *
 * @param initial number of the first packet of either direction, 31 bits
 * @param segment longest packet in bytes, with 28 for IP and UDP
 * @param window packets that the sender of the handshake can receive ahead
 * @param request one of the constants
 * @param socket id of its sender
 * @param cookie zero in the first request
 * @param address first word of the receiver's address, for information
 * @param magic {@link #OFFER}, {@link #ANSWER}, or anything
 * @param flags of the extension
 */
public record Handshake(
    int initial,
    int segment,
    int window,
    int request,
    int socket,
    int cookie,
    int address,
    int magic,
    int flags) {
  /** A client's first request; also a server's answer with its cookie. */
  public static final int REQUEST = 1;

  /** The request with the cookie, and the answer to that. */
  public static final int CONCLUSION = -1;

  /** The server does not take it. */
  public static final int REFUSED = 1002;

  public static final int OFFER = 0x4644_5401;
  public static final int ANSWER = 0x4644_5481;

  /** CRC32C at the end of each packet, and two more fields in acknowledgements. */
  public static final int CHECKED = 1;

  /** Answers probes of the path. */
  public static final int PROBED = 2;

  public static final int FIELDS = 48;
  public static final int LENGTH = Packets.HEADER + FIELDS;
  private static final int VERSION = 4;
  private static final int STREAM = 1;
  private static final int LEAST_SEGMENT = 548;
  private static final int MOST_SEGMENT = 65_535;

  /** Whether these bytes are a handshake that this end understands, of exactly this length. */
  public static boolean isHandshake(ByteBuf packet, int at, int length) {
    return length == LENGTH
        && Packets.isControl(packet, at)
        && Packets.type(packet, at) == Packets.HANDSHAKE
        && packet.getInt(at + Packets.HEADER) == VERSION
        && packet.getInt(at + Packets.HEADER + 4) == STREAM;
  }

  /** To be called only where {@link #isHandshake}. */
  public static Handshake read(ByteBuf packet, int at) {
    int fields = at + Packets.HEADER;
    return new Handshake(
        packet.getInt(fields + 8) & Packets.SEQUENCE_MASK,
        packet.getInt(fields + 12),
        packet.getInt(fields + 16),
        packet.getInt(fields + 20),
        packet.getInt(fields + 24),
        packet.getInt(fields + 28),
        packet.getInt(fields + 32),
        packet.getInt(fields + 36),
        packet.getInt(fields + 40));
  }

  /**
   * Appends it.
   *
   * @param destination socket id of the peer; zero for a listener
   */
  public void write(ByteBuf packet, long micros, int destination) {
    Packets.control(packet, Packets.HANDSHAKE, 0, micros, destination);
    packet.writeInt(VERSION).writeInt(STREAM).writeInt(initial).writeInt(segment).writeInt(window);
    packet.writeInt(request).writeInt(socket).writeInt(cookie);
    packet.writeInt(address).writeInt(magic).writeInt(flags).writeInt(0);
  }

  /** Whether a connection can have these numbers. */
  public boolean isUsable() {
    return segment >= LEAST_SEGMENT && segment <= MOST_SEGMENT && window >= 2 && socket != 0;
  }

  public boolean offersChecks() {
    return magic == OFFER && (flags & CHECKED) != 0;
  }

  public boolean agreesToProbes() {
    return magic == ANSWER && (flags & PROBED) != 0;
  }

  public boolean agreesToChecks() {
    return magic == ANSWER && (flags & CHECKED) != 0;
  }

  public Handshake withRequest(int newRequest, int newCookie) {
    return new Handshake(
        initial, segment, window, newRequest, socket, newCookie, address, magic, flags);
  }
}
