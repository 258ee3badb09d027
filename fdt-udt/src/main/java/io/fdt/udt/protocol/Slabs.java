package io.fdt.udt.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayDeque;

/**
 * Memory for a window of packets: a ring of equal places, taken and given back in slabs, so that a
 * connection holds memory for what is under way and not for what could be.
 *
 * <pre>
 *   index of a packet   ... |---- slab ----|---- slab ----|---- slab ----| ...
 *                              ^ first                          ^ below limit(first)
 * </pre>
 *
 * <p>Packets of one slab lie one behind the other. Memory: two slabs, and what {@link WindowMemory}
 * gives. Not thread-safe.
 */
final class Slabs {
  /** Slabs from the first one on that need no share of the memory. */
  private static final int FREE = 2;

  private final ByteBufAllocator allocator;
  private final WindowMemory shared;
  private final int packets;
  private final int place;
  private final int capacity;
  private final Slab[] slabs;

  /** Without memory: 1 % of what the window was at its largest, and no garbage. */
  private final ArrayDeque<Slab> empty = new ArrayDeque<>();

  private long released;
  private Slab spare;

  private static final class Slab {
    final int[] lengths;
    final long[] sentMicros;

    /** Null while it is in no use. */
    ByteBuf memory;

    /** Whether it is of the shared memory. */
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

  /** The first index that has no place as long as the packet {@code first} is kept. */
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
   * Makes a place for a packet. Always has room for the first two slabs from the packet of the last
   * {@link #releaseBelow} on.
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
   * @param paid whether its memory was taken, which is given back when there is none in truth
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

  /** The slab of a packet that has a place. */
  ByteBuf memory(long index) {
    return slabs[slab(index)].memory;
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

  /** Gives all memory back. Idempotent. */
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
