package io.fdt.udt.protocol.packet;

import io.fdt.core.model.RangeSet;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/** Makes and sends the control packets of one connection. Not thread-safe. */
public final class ControlPackets {
  private static final int RANGE_LENGTH = 2 * Integer.BYTES;

  private final ByteBufAllocator allocator;
  private final Terms terms;
  private final Datagrams out;
  private final long startMicros;
  private final Protection protection;

  public ControlPackets(
      ByteBufAllocator allocator,
      Terms terms,
      Protection protection,
      Datagrams out,
      long startMicros) {
    this.protection = protection;
    this.allocator = allocator;
    this.terms = terms;
    this.out = out;
    this.startMicros = startMicros;
  }

  /** Begins a packet; the caller appends fields, and {@link #send} takes it over. */
  public ByteBuf begin(long now, int type, int additional) {
    ByteBuf packet = allocator.directBuffer(terms.packetLength());
    Packets.control(packet, type, additional, now - startMicros, terms.peerSocket());
    return packet;
  }

  public void send(ByteBuf packet) {
    ByteBuf whole = allocator.directBuffer(packet.readableBytes() + protection.overhead());
    protection.append(packet, packet.readerIndex(), packet.readableBytes(), whole);
    packet.release();
    out.controlAndRelease(whole);
  }

  /** Sends a packet without fields, which has one word of zero. */
  public void sendEmpty(long now, int type, int additional) {
    send(begin(now, type, additional).writeInt(0));
  }

  /** Sends a probe of full length. */
  public void sendProbe(long now, int number) {
    sendZeros(now, Packets.PROBE, number, terms.packetLength() - protection.overhead());
  }

  private void sendZeros(long now, int type, int number, int length) {
    send(begin(now, type, number).writeZero(length - Packets.HEADER));
  }

  /**
   * Answers a probe with a packet of the same length, never longer.
   *
   * @param length of the probe without its check
   */
  public void answerProbe(long now, int number, int length) {
    int most = terms.packetLength() - protection.overhead();
    sendZeros(now, Packets.PROBE_ANSWER, number, Math.min(length, most));
  }

  /** Reports one missing range. */
  public void sendMissing(long now, long from, long until) {
    ByteBuf nak = begin(now, Packets.NAK, 0);
    writeRange(nak, from, until);
    send(nak);
  }

  /** Reports missing ranges, in as many packets as needed. */
  public void sendMissing(long now, RangeSet missing) {
    int most = (terms.packetLength() - Packets.HEADER - protection.overhead()) / RANGE_LENGTH;
    for (int first = 0; first < missing.count(); first += most) {
      ByteBuf nak = begin(now, Packets.NAK, 0);
      for (int i = first; i < Math.min(first + most, missing.count()); i++) {
        writeRange(nak, missing.start(i), missing.end(i));
      }
      send(nak);
    }
  }

  /** Appends a range of a NAK: one word, or two. */
  private void writeRange(ByteBuf nak, long from, long until) {
    if (until - from == 1) {
      nak.writeInt(sequence(from));
    } else {
      nak.writeInt(sequence(from) | Packets.RANGE_BIT).writeInt(sequence(until - 1));
    }
  }

  public int sequence(long index) {
    return Packets.sequence(terms.initial(), index);
  }
}
