package io.fdt.udt.protocol.packet;

import io.netty.buffer.ByteBuf;
import java.util.zip.CRC32C;

/**
 * The layout of packets; every field is a big-endian word of 32 bits.
 *
 * <pre>
 *   data      0 | sequence (31)      11 0 | message (29)    timestamp    socket id    payload
 *   control   1 | type (15) | 0      additional word        timestamp    socket id    fields
 * </pre>
 *
 * <p>The timestamp is in microseconds since the start of the connection, at the sender. Each clear
 * packet, except handshakes, ends with the CRC32C of all bytes before it. Stateless.
 */
public final class Packets {
  public static final int HEADER = 16;
  public static final int TRAILER = 4;

  /**
   * The headers of IPv4 and UDP around a packet, which the segment size includes, also for IPv6.
   */
  public static final int IP_AND_UDP = 28;

  public static final int HANDSHAKE = 0;
  public static final int KEEP_ALIVE = 1;
  public static final int ACK = 2;
  public static final int NAK = 3;
  public static final int SHUTDOWN = 5;
  public static final int ACK2 = 6;

  /** A probe as long as the longest data packet, and its answer. */
  public static final int PROBE = 9;

  public static final int PROBE_ANSWER = 10;

  /** Asks a sender at a new address to prove that it is the peer. */
  public static final int PATH_CHALLENGE = 11;

  public static final int PATH_ANSWER = 12;

  /** The flags of a message that is a single packet. */
  private static final int SOLO = 0xC000_0000;

  private static final int MESSAGE_MASK = 0x1FFF_FFFF;
  public static final int SEQUENCE_MASK = 0x7FFF_FFFF;
  private static final int HALF_OF_SEQUENCES = 0x4000_0000;

  /** Marks a word of a NAK that begins a range; the next word is its last packet. */
  public static final int RANGE_BIT = 0x8000_0000;

  private Packets() {}

  /** The number on the wire of the packet with this index, which never wraps around. */
  public static int sequence(int initial, long index) {
    return (int) (initial + index) & SEQUENCE_MASK;
  }

  /** The index nearest to {@code reference} that has this number; may be negative. */
  public static long index(int initial, int sequence, long reference) {
    int ahead = (sequence - sequence(initial, reference)) & SEQUENCE_MASK;
    return reference + (ahead < HALF_OF_SEQUENCES ? ahead : ahead - 0x8000_0000L);
  }

  public static boolean isControl(ByteBuf packet, int at) {
    return packet.getByte(at) < 0;
  }

  public static int type(ByteBuf packet, int at) {
    return packet.getUnsignedShort(at) & 0x7FFF;
  }

  public static int additional(ByteBuf packet, int at) {
    return packet.getInt(at + 4);
  }

  public static int timestamp(ByteBuf packet, int at) {
    return packet.getInt(at + 8);
  }

  public static int socket(ByteBuf packet, int at) {
    return packet.getInt(at + 12);
  }

  /** Writes the fixed header fields of a data packet. */
  public static void data(ByteBuf packet, int at, int initial, long index, int socket) {
    packet.setInt(at, sequence(initial, index));
    packet.setInt(at + 4, SOLO | ((int) index & MESSAGE_MASK));
    packet.setInt(at + 12, socket);
  }

  public static void stamp(ByteBuf packet, int at, long micros) {
    packet.setInt(at + 8, (int) micros);
  }

  public static void control(ByteBuf packet, int type, int additional, long micros, int socket) {
    packet.writeShort(0x8000 | type).writeShort(0);
    packet.writeInt(additional).writeInt((int) micros).writeInt(socket);
  }

  /** The CRC of bytes in direct memory; allocates nothing if the memory is contiguous. */
  public static int crc(CRC32C crc, ByteBuf memory, int at, int length) {
    crc.reset();
    crc.update(memory.internalNioBuffer(at, length));
    return (int) crc.getValue();
  }
}
