package io.fdt.udt.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayDeque;

/**
 * Memory for a window of packets: a ring of equal slots, allocated and released in slabs, so that a
 * connection uses memory only for packets in flight, not for the whole window.
 *
 * <pre>
 *   index of a packet   ... |---- slab ----|---- slab ----|---- slab ----| ...
 *                              ^ first                          ^ below limit(first)
 * </pre>
 *
 * <p>Packets of one slab are contiguous. Memory: two slabs, and the share of {@link WindowMemory}.
 * Not thread-safe.
 */
final class Slabs {
  /** The number of slabs that do not count in the shared memory. */
  private static final int FREE = 2;

  private final ByteBufAllocator allocator;
  private final WindowMemory shared;
  private final int packets;
  private final int place;
  private final int capacity;
  private final Slab[] slabs;

  /** Slab objects without memory, for reuse: 1 % of the largest window, and no garbage. */
  private final ArrayDeque<Slab> empty = new ArrayDeque<>();

  private long released;
  private Slab spare;

  private static final class Slab {
    final int[] lengths;
    final long[] sentMicros;

    /** The memory; null while the slab is unused. */
    ByteBuf memory;

    /** Whether the slab counts in the shared memory. */
    boolean paid;

    Slab(int packets) {
      this.lengths = new int[packets];
      this.sentMicros = new long[packets];
    }
  }

  /**
   * @param capacity packets, rounded up to whole slabs
   * @param packets of one slab
   * @param place bytes of one packet
   */
  Slabs(ByteBufAllocator allocator, WindowMemory shared, int capacity, int packets, int place) {
    this.allocator = allocator;
    this.shared = shared;
    this.packets = packets;
    this.place = place;
    int count = Math.max(FREE, (capacity + packets - 1) / packets);
    this.capacity = count * packets;
    this.slabs = new Slab[count];
  }

  int capacity() {
    return capacity;
  }

  int place() {
    return place;
  }

  /** The first index without a slot while the packet {@code first} is kept. */
  long limit(long first) {
    return first / packets * packets + capacity;
  }

  private int slab(long index) {
    return (int) (index / packets % slabs.length);
  }

  private int slot(long index) {
    return (int) (index % packets);
  }

  /**
   * Allocates a slot for a packet. Always succeeds for two slabs from the packet of the last {@link
   * #releaseBelow} on.
   *
   * @return false when the memory is used up
   */
  boolean provide(long index) {
    int at = slab(index);
    if (slabs[at] != null) {
      return true;
    }
    boolean free = index / packets < released + FREE;
    boolean paid = spare != null && spare.paid;
    if (!free && !paid && !shared.take(bytes())) {
      return false;
    }
    Slab slab = spare;
    spare = null;
    if (slab == null) {
      slab = make(!free);
    }
    slab.paid = !free || paid;
    slabs[at] = slab;
    return true;
  }

  private long bytes() {
    return (long) packets * place;
  }

  /**
   * @param paid whether its memory was reserved, which is released if the allocation fails
   */
  private Slab make(boolean paid) {
    int bytes = packets * place;
    try {
      ByteBuf memory = allocator.directBuffer(bytes, bytes).writerIndex(bytes);
      Slab slab = empty.isEmpty() ? new Slab(packets) : empty.pop();
      slab.memory = memory;
      return slab;
    } catch (OutOfMemoryError e) {
      if (paid) {
        shared.give(bytes);
      }
      throw e;
    }
  }

  private void release(Slab slab) {
    slab.memory.release();
    slab.memory = null;
    empty.push(slab);
    if (slab.paid) {
      shared.give(bytes());
    }
  }

  /** The slab of a packet with a slot. */
  ByteBuf memory(long index) {
    return slabs[slab(index)].memory;
  }

  /** The offset of a packet in its slab. */
  int offset(long index) {
    return slot(index) * place;
  }

  /** The payload bytes of a packet, as set. */
  int length(long index) {
    return slabs[slab(index)].lengths[slot(index)];
  }

  void setLength(long index, int bytes) {
    slabs[slab(index)].lengths[slot(index)] = bytes;
  }

  /** The time when a packet was last sent, as set. */
  long sent(long index) {
    return slabs[slab(index)].sentMicros[slot(index)];
  }

  void setSent(long index, long micros) {
    slabs[slab(index)].sentMicros[slot(index)] = micros;
  }

  /** Releases packets below this one. */
  void releaseBelow(long first) {
    long whole = first / packets;
    for (; released < whole; released++) {
      int slab = (int) (released % slabs.length);
      if (slabs[slab] == null) {
        continue;
      }
      if (spare == null) {
        spare = slabs[slab];
      } else {
        release(slabs[slab]);
      }
      slabs[slab] = null;
    }
  }

  /** Releases all memory. Idempotent. */
  void close() {
    for (int i = 0; i < slabs.length; i++) {
      if (slabs[i] != null) {
        release(slabs[i]);
        slabs[i] = null;
      }
    }
    if (spare != null) {
      release(spare);
      spare = null;
    }
  }
}
