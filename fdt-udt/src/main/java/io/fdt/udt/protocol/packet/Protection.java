package io.fdt.udt.protocol.packet;

import io.netty.buffer.ByteBuf;
import java.util.zip.CRC32C;

/**
 * The protection that packets carry beside their header and payload, so that packets that are
 * damaged, or not the peer's, count as lost. Not thread-safe.
 */
public abstract class Protection {
  /** The protection of plain packets. */
  public static Protection ofClear() {
    return new Checked();
  }

  /** Bytes that it adds to a packet. */
  public abstract int overhead();

  /** Appends a packet as it leaves. */
  public abstract void append(ByteBuf packet, int at, int length, ByteBuf out);

  /**
   * Checks a packet that has come, whose length is 16 or more, and makes it readable in its place.
   *
   * @return its length without what was added; below 0 where it is not the peer's, or damaged
   */
  public abstract int open(ByteBuf packet, int at, int length);

  /** Whether no more packets may leave. */
  public boolean isUsedUp() {
    return false;
  }

  /** A CRC32C of all before it at the end of each packet. */
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
