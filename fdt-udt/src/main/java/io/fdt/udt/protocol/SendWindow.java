package io.fdt.udt.protocol;

import io.fdt.udt.protocol.packet.Datagrams;
import io.fdt.udt.protocol.packet.Packets;
import io.fdt.udt.protocol.packet.Protection;
import io.fdt.udt.protocol.packet.Terms;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.zip.CRC32C;

/**
 * The unacknowledged packets, built in place, so that several can be sent as one piece of memory.
 *
 * <pre>
 *   first    ready     ready + 1
 *     |  full  | filling |   free
 * </pre>
 *
 * <p>Not thread-safe.
 */
final class SendWindow {
  /** 128 slots of 1,472 bytes: three batches of segmentation offload. */
  private static final int SLAB_BYTES = 188_416;

  /** The most unsent packets: a millisecond at 6 Gbit/s. */
  private static final int MOST_UNSENT = 512;

  private final Terms terms;
  private final Slabs slabs;
  private final WindowMemory shared;
  private final CRC32C crc = new CRC32C();
  private final Protection protection;
  private final ByteBufAllocator allocator;
  private final int payload;
  private final long startMicros;
  private long ready;
  private int filling;
  private boolean full;

  /**
   * @param packets the most packets in the window
   * @param startMicros start of the connection
   */
  SendWindow(
      ByteBufAllocator allocator,
      WindowMemory shared,
      Terms terms,
      Protection protection,
      int packets,
      long startMicros) {
    this.allocator = allocator;
    this.shared = shared;
    this.terms = terms;
    this.protection = protection;
    this.payload = terms.payload();
    this.startMicros = startMicros;
    this.slabs =
        new Slabs(
            allocator,
            shared,
            packets,
            Math.max(16, SLAB_BYTES / terms.packetLength()),
            terms.packetLength());
  }

  /**
   * Takes as many bytes as there is room for, from the reader index on.
   *
   * @param first unacknowledged packet
   * @param next packet to be sent for the first time
   */
  void write(ByteBuf data, long first, long next) {
    while (data.isReadable()) {
      if (ready - next >= MOST_UNSENT || !hasPlace(first)) {
        full = true;
        return;
      }
      ByteBuf memory = slabs.memory(ready);
      int count = Math.min(payload - filling, data.readableBytes());
      data.readBytes(memory.writerIndex(slabs.offset(ready) + Packets.HEADER + filling), count);
      filling += count;
      if (filling == payload) {
        seal();
      }
    }
  }

  /** Whether there is memory for the next packet to fill. */
  private boolean hasPlace(long first) {
    long most = Math.max(2 * SLAB_BYTES / slabs.place(), shared.share() / slabs.place());
    return ready < Math.min(slabs.limit(first), first + most) && slabs.provide(ready);
  }

  /** Completes the packet being filled, which has some bytes. */
  void seal() {
    ByteBuf memory = slabs.memory(ready);
    Packets.data(memory, slabs.offset(ready), terms.initial(), ready, terms.peerSocket());
    slabs.setLength(ready, filling);
    ready++;
    filling = 0;
  }

  /** Whether there is room again for an application that was refused; true only once. */
  boolean hasRoomAgain(long first, long next) {
    if (full && ready - next <= MOST_UNSENT / 2 && hasPlace(first)) {
      full = false;
      return true;
    }
    return false;
  }

  /** The first incomplete packet. */
  long ready() {
    return ready;
  }

  /** Bytes of the packet {@link #ready}. */
  int filling() {
    return filling;
  }

  /** Bytes written for packets from this one on. */
  long bytesFrom(long next) {
    return (ready - next) * payload + filling;
  }

  /** The time when a packet was last sent. */
  long sent(long index) {
    return slabs.sent(index);
  }

  /** Releases packets below this one, which have arrived. */
  void releaseBelow(long index) {
    slabs.releaseBelow(index);
  }

  /**
   * Sends consecutive packets, as far as they are in one slab and full except for the last one.
   *
   * @return the number of packets sent
   */
  int send(long now, long from, long until, Datagrams out) {
    ByteBuf memory = slabs.memory(from);
    int start = slabs.offset(from);
    int bytes = 0;
    long at = from;
    while (at < until && (at == from || slabs.offset(at) != 0)) {
      int length = complete(now, at);
      bytes += length;
      at++;
      if (length < terms.packetLength()) {
        break;
      }
    }
    int most = Math.min(bytes, terms.packetLength());
    if (terms.isSealed()) {
      sendSealed(from, at, bytes, most, out);
    } else {
      out.data(memory, start, bytes, most);
    }
    return (int) (at - from);
  }

  /**
   * Sends encrypted packets. The window keeps the plain bytes, which are encrypted again for each
   * transmission.
   */
  private void sendSealed(long from, long until, int bytes, int most, Datagrams out) {
    ByteBuf sealed = allocator.directBuffer(bytes);
    try {
      for (long at = from; at < until; at++) {
        int length = Packets.HEADER + slabs.length(at);
        protection.append(slabs.memory(at), slabs.offset(at), length, sealed);
      }
      out.data(sealed, 0, bytes, most);
    } finally {
      sealed.release();
    }
  }

  private int complete(long now, long index) {
    int offset = slabs.offset(index);
    ByteBuf memory = slabs.memory(index);
    slabs.setSent(index, now);
    Packets.stamp(memory, offset, now - startMicros);
    int length = Packets.HEADER + slabs.length(index);
    if (terms.isSealed()) {
      return length + protection.overhead();
    }
    memory.setInt(offset + length, Packets.crc(crc, memory, offset, length));
    return length + Packets.TRAILER;
  }

  void close() {
    slabs.close();
  }
}
