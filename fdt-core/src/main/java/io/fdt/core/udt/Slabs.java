package io.fdt.core.udt;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;

/**
 * Memory for a window of packets: a ring of equal places, taken and given back in slabs, so that a
 * connection holds memory for what is under way and not for what could be.
 *
 * <pre>
 *   index of a packet   ... |---- slab ----|---- slab ----|---- slab ----| ...
 *                              ^ first                          ^ below limit(first)
 * </pre>
 *
 * <p>Packets of one slab lie one behind the other. Memory: capacity x place at most, and one spare
 * slab. Not thread-safe.
 */
final class Slabs {
  /** With places of 1,472 bytes 188 KB: three batches of segmentation offload. */
  static final int PACKETS = 128;

  private final ByteBufAllocator allocator;
  private final int place;
  private final int capacity;
  private final Slab[] slabs;
  private long released;
  private Slab spare;

  private record Slab(ByteBuf memory, ByteBuffer view, int[] lengths, long[] sentMicros) {}

  /**
   * @param capacity packets, rounded up to whole slabs
   * @param place bytes of one packet
   */
  Slabs(ByteBufAllocator allocator, int capacity, int place) {
    this.allocator = allocator;
    this.place = place;
    int count = Math.max(2, (capacity + PACKETS - 1) / PACKETS);
    this.capacity = count * PACKETS;
    this.slabs = new Slab[count];
  }

  int capacity() {
    return capacity;
  }

  int place() {
    return place;
  }

  /** The first index that has no place as long as the packet {@code first} is kept. */
  long limit(long first) {
    return first / PACKETS * PACKETS + capacity;
  }

  private int slab(long index) {
    return (int) (index / PACKETS % slabs.length);
  }

  private static int slot(long index) {
    return (int) (index % PACKETS);
  }

  /** The slab of a packet, which it has from now on. */
  ByteBuf memory(long index) {
    int at = slab(index);
    if (slabs[at] == null) {
      slabs[at] = spare == null ? make() : spare;
      spare = null;
    }
    return slabs[at].memory;
  }

  private Slab make() {
    int bytes = PACKETS * place;
    ByteBuf memory = allocator.directBuffer(bytes, bytes).writerIndex(bytes);
    return new Slab(memory, memory.nioBuffer(0, bytes), new int[PACKETS], new long[PACKETS]);
  }

  /**
   * The same memory as {@link #memory}, of a packet that has it; position and limit are anybody's.
   */
  ByteBuffer view(long index) {
    return slabs[slab(index)].view;
  }

  /** Where in its slab a packet is. */
  int offset(long index) {
    return slot(index) * place;
  }

  /** Bytes of its payload, as they were set. */
  int length(long index) {
    return slabs[slab(index)].lengths[slot(index)];
  }

  void setLength(long index, int bytes) {
    slabs[slab(index)].lengths[slot(index)] = bytes;
  }

  /** When it was sent last, as it was set. */
  long sent(long index) {
    return slabs[slab(index)].sentMicros[slot(index)];
  }

  void setSent(long index, long micros) {
    slabs[slab(index)].sentMicros[slot(index)] = micros;
  }

  /** Packets below this one are not needed any more. */
  void releaseBelow(long first) {
    long whole = first / PACKETS;
    for (; released < whole; released++) {
      int slab = (int) (released % slabs.length);
      if (slabs[slab] == null) {
        continue;
      }
      if (spare == null) {
        spare = slabs[slab];
      } else {
        slabs[slab].memory.release();
      }
      slabs[slab] = null;
    }
  }

  /** Gives all memory back. Idempotent. */
  void close() {
    for (int i = 0; i < slabs.length; i++) {
      if (slabs[i] != null) {
        slabs[i].memory.release();
        slabs[i] = null;
      }
    }
    if (spare != null) {
      spare.memory.release();
      spare = null;
    }
  }
}
