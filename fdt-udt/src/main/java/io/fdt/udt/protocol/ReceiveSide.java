package io.fdt.udt.protocol;

import io.fdt.core.model.RangeSet;
import io.fdt.udt.protocol.packet.Terms;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/**
 * The receiving half of a connection: received bytes that the application has not taken, and
 * missing packets.
 *
 * <pre>
 *   read                 next                       highest
 *     | in order, kept     | out of order, with holes  |
 * </pre>
 *
 * <p>Bytes in order go straight to the application; only bytes that it does not take, and those
 * behind a gap, are copied here. Not thread-safe.
 */
final class ReceiveSide {
  /**
   * The divisor of the window for updates: the sender is notified when a tenth of it is free again.
   */
  private static final int WINDOW_STEPS = 10;

  /** 32 slots of 1,456 bytes: few, because gaps of an unauthenticated peer take memory. */
  private static final int SLAB_BYTES = 46_592;

  /** The initial window, for 400 Mbit/s over 10 ms. */
  private static final int START_WINDOW = 512;

  /**
   * The window in round trips. A gap takes two round trips, and one more for each lost
   * retransmission; a starting sender nearly triples its rate in each. Missing bytes take no
   * memory.
   */
  private static final int ROUNDS_HELD = 8;

  private final Slabs slabs;
  private final WindowMemory shared;
  private boolean opened;
  private long roundMicros;
  private long roundReceived;
  private final RangeSet missing = new RangeSet();
  private final Application application;
  private int allowed = UdtConnection.FIRST_WINDOW;
  private long read;
  private int readOffset;
  private long next;
  private long highest;
  private long received;
  private long lastWindowEnd;

  ReceiveSide(
      ByteBufAllocator allocator,
      WindowMemory shared,
      Terms terms,
      UdtSettings settings,
      Application application) {
    this.shared = shared;
    this.slabs =
        new Slabs(
            allocator,
            shared,
            settings.window(),
            Math.max(8, SLAB_BYTES / terms.payload()),
            terms.payload());
    this.application = application;
    this.lastWindowEnd = limit();
  }

  /** Allows a window above {@link UdtConnection#FIRST_WINDOW} from now on. */
  void openWindow() {
    opened = true;
    allowed = within(START_WINDOW);
  }

  private int within(long packets) {
    long most = Math.min(slabs.capacity(), shared.share() / slabs.place());
    return (int) Math.max(UdtConnection.FIRST_WINDOW, Math.min(most, packets));
  }

  /**
   * Sets the window to the bytes of some round trips, but at least as large as growth requires.
   *
   * @param roundTripMicros measured by this end
   */
  void adapt(long now, long roundTripMicros) {
    if (!opened) {
      return;
    }
    long round = roundTripMicros + 2 * UdtConnection.SYN_MICROS;
    if (now - roundMicros >= round) {
      long perRound = (received - roundReceived) * round / (now - roundMicros);
      allowed = within(Math.max(START_WINDOW, Math.max(allowed / 2, ROUNDS_HELD * perRound)));
      roundMicros = now;
      roundReceived = received;
    }
  }

  /** The first packet without a slot; never lower than announced to the peer. */
  private long limit() {
    return Math.max(lastWindowEnd, Math.min(slabs.limit(read), read + allowed));
  }

  /** The kind of a data packet. */
  enum Kind {
    /** The next packet, or a missing one. */
    FILLS,
    /** Packets before it are missing. */
    GAP,
    /** A duplicate. */
    AGAIN,
    /** A packet beyond the window. */
    BEYOND,
    /** The memory of all connections is used up: the packet counts as missing. */
    NO_PLACE
  }

  /** Handles a data packet. */
  Kind packet(long index, ByteBuf memory, int at, int length) {
    boolean straight = index == next && read == next;
    if (length > slabs.place() || index >= limit()) {
      return Kind.BEYOND;
    }
    if (!straight && index >= next && !slabs.provide(index)) {
      if (index >= highest) {
        missing.add(highest, index + 1);
        highest = index + 1;
      }
      return Kind.NO_PLACE;
    }
    Kind kind = Kind.FILLS;
    if (index >= highest) {
      if (index > highest) {
        missing.add(highest, index);
        kind = Kind.GAP;
      }
      highest = index + 1;
    } else if (missing.remove(index, index + 1) == 0) {
      return Kind.AGAIN;
    }
    received++;
    int taken = 0;
    if (straight) {
      taken = application.deliver(memory, at, length);
      if (taken == length) {
        read++;
      }
    }
    if (taken < length || !straight) {
      slabs.provide(index); // for a straight one it is among those that always have a place
      slabs.memory(index).setBytes(slabs.offset(index), memory, at, length);
      slabs.setLength(index, length);
      if (index == read) {
        readOffset = taken;
      }
    }
    if (index == next) {
      next = missing.isEmpty() ? highest : missing.start(0);
      deliver();
    }
    return kind;
  }

  /** Offers bytes in order to the application. */
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

  /** The first packet that has not arrived. */
  long next() {
    return next;
  }

  long highest() {
    return highest;
  }

  RangeSet missing() {
    return missing;
  }

  /** Distinct packets received. */
  long received() {
    return received;
  }

  /** The number of packets from {@link #next} on that have a slot. */
  int window() {
    lastWindowEnd = limit();
    return (int) (lastWindowEnd - next);
  }

  /** Whether to notify the sender that the window is larger again. */
  boolean hasMoreRoom() {
    return limit() - lastWindowEnd >= allowed / WINDOW_STEPS && lastWindowEnd - next < allowed / 2;
  }

  @Override
  public String toString() {
    return "read=%d inOrder=%d highest=%d missing=%d"
        .formatted(read, next, highest, missing.covered());
  }

  void close() {
    slabs.close();
  }
}
