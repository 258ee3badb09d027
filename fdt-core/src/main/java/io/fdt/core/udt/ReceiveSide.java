package io.fdt.core.udt;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/**
 * The receiving half of a connection: what has come and was not taken, and what is missing.
 *
 * <pre>
 *   read                 next                       highest
 *     | in order, kept     | out of order, with holes  |
 * </pre>
 *
 * <p>What comes in order goes straight to the application; only what it does not take, and what
 * comes behind a hole, is copied here. Not thread-safe.
 */
final class ReceiveSide {
  /** A tenth of it free again is worth a message to the sender. */
  private static final int WINDOW_STEPS = 10;

  private final Slabs slabs;
  private final LossRanges missing = new LossRanges();
  private final Application application;
  private final Arrivals arrivals = new Arrivals();
  private int allowed = UdtConnection.FIRST_WINDOW;
  private long read;
  private int readOffset;
  private long next;
  private long highest;
  private long received;
  private long lastWindowEnd;

  ReceiveSide(
      ByteBufAllocator allocator, Terms terms, UdtSettings settings, Application application) {
    this.slabs = new Slabs(allocator, settings.window(), terms.payload());
    this.application = application;
    this.lastWindowEnd = limit();
  }

  void openWindow() {
    allowed = Integer.MAX_VALUE;
  }

  /** The first packet that there is no place for. */
  private long limit() {
    return Math.min(slabs.limit(read), read + allowed);
  }

  /** What a data packet turned out to be. */
  enum Kind {
    /** The next one, or one that was missing. */
    FILLS,
    /** Packets before it are missing. */
    GAP,
    /** It was here already. */
    AGAIN,
    /** There is no place for it. */
    BEYOND
  }

  /** A data packet has come. */
  Kind packet(long now, long index, ByteBuf memory, int at, int length) {
    if (length > slabs.place() || index >= limit()) {
      return Kind.BEYOND;
    }
    Kind kind = Kind.FILLS;
    if (index >= highest) {
      if (index > highest) {
        missing.add(highest, index);
        kind = Kind.GAP;
      }
      highest = index + 1;
    } else if (!missing.remove(index)) {
      return Kind.AGAIN;
    }
    received++;
    arrivals.packet(now, index);
    int taken = 0;
    if (index == next && read == next) {
      taken = application.deliver(memory, at, length);
      if (taken == length) {
        read++;
      }
    }
    if (taken < length) {
      slabs.memory(index).setBytes(slabs.offset(index), memory, at, length);
      slabs.setLength(index, length);
      if (index == read) {
        readOffset = taken;
      }
    }
    if (index == next) {
      next = missing.isEmpty() ? highest : missing.first();
      deliver();
    }
    return kind;
  }

  /** Offers what is in order to the application. */
  void deliver() {
    while (read < next) {
      int length = slabs.length(read) - readOffset;
      int taken =
          length == 0
              ? 0
              : application.deliver(slabs.memory(read), slabs.offset(read) + readOffset, length);
      if (taken < length) {
        readOffset += taken;
        break;
      }
      read++;
      readOffset = 0;
    }
    slabs.releaseBelow(read);
  }

  /** Whether bytes wait for the application. */
  boolean hasUnread() {
    return read < next;
  }

  /** The packet that all before it have arrived of. */
  long next() {
    return next;
  }

  long highest() {
    return highest;
  }

  LossRanges missing() {
    return missing;
  }

  /** Different packets that have come. */
  long received() {
    return received;
  }

  Arrivals arrivals() {
    return arrivals;
  }

  /** Packets from {@link #next} on that there is a place for. */
  int window() {
    lastWindowEnd = limit();
    return (int) (lastWindowEnd - next);
  }

  /** Whether the sender should hear that there is room again. */
  boolean hasMoreRoom() {
    return limit() - lastWindowEnd >= slabs.capacity() / WINDOW_STEPS
        && lastWindowEnd - next < slabs.capacity() / 2;
  }

  @Override
  public String toString() {
    return "read=%d inOrder=%d highest=%d missing=%d"
        .formatted(read, next, highest, missing.packets());
  }

  void close() {
    slabs.close();
  }
}
