package io.fdt.udt.protocol.packet;

import io.netty.buffer.ByteBuf;
import java.util.zip.CRC32C;

/**
 * The protection of packets besides header and payload: damaged packets, or packets not from the
 * peer, count as lost. Not thread-safe.
 */
public abstract class Protection {
  /** The protection of plain packets. */
  public static Protection ofClear() {
    return new Checked();
  }

  /** Bytes added to a packet. */
  public abstract int overhead();

  /** Appends a protected packet. */
  public abstract void append(ByteBuf packet, int at, int length, ByteBuf out);

  /**
   * Checks a received packet of at least 16 bytes, and decrypts it in place.
   *
   * @return its length without the protection; below 0 if it is not from the peer, or damaged
   */
  public abstract int open(ByteBuf packet, int at, int length);

  /** Whether no more packets may be sent with these keys. */
  public boolean isUsedUp() {
    return false;
  }

  /** Appends the CRC32C of all bytes before it to each packet. */
  private static final class Checked extends Protection {
    private final CRC32C crc = new CRC32C();

    @Override
    public int overhead() {
      return Packets.TRAILER;
    }

    @Override
    public void append(ByteBuf packet, int at, int length, ByteBuf out) {
      out.writeBytes(packet, at, length).writeInt(sum(packet, at, length));
    }

    @Override
    public int open(ByteBuf packet, int at, int length) {
      int checked = length - Packets.TRAILER;
      boolean intact =
          checked >= Packets.HEADER && sum(packet, at, checked) == packet.getInt(at + checked);
      return intact ? checked : -1;
    }

    private int sum(ByteBuf packet, int at, int length) {
      return Packets.crc(crc, packet, at, length);
    }
  }
}
