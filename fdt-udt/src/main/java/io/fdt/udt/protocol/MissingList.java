package io.fdt.udt.protocol;

import io.fdt.udt.protocol.packet.Packets;
import io.netty.buffer.ByteBuf;

/**
 * The fields of a NAK: numbers, and ranges of two words. Ranges must be in order; others are
 * ignored, because each could name the whole window. Stateless.
 */
final class MissingList {
  private MissingList() {}

  /** Reports the missing packets to the sender, up to the first invalid range. */
  static void read(ByteBuf packet, int at, int fields, int initial, SendSide sender, long now) {
    int body = at + Packets.HEADER;
    long reference = sender.firstUnacknowledged();
    long end = Long.MIN_VALUE;
    for (int i = 0; i < fields; i++) {
      int word = packet.getInt(body + i * Integer.BYTES);
      long from = Packets.index(initial, word & Packets.SEQUENCE_MASK, reference);
      long last = from;
      if ((word & Packets.RANGE_BIT) != 0) {
        if (++i == fields) {
          return;
        }
        int until = packet.getInt(body + i * Integer.BYTES) & Packets.SEQUENCE_MASK;
        last = Packets.index(initial, until, reference);
      }
      if (from < end) {
        return;
      }
      end = last + 1;
      sender.missing(now, from, end);
    }
  }
}
