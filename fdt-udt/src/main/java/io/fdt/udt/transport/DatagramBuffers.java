package io.fdt.udt.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelConfig;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;

/**
 * Buffers that a socket reads into. Chooses between two ways to read many packets at once:
 * coalescing, as long as reads return more than one packet, otherwise many datagrams with one call.
 * For one socket; confined to its event loop.
 */
final class DatagramBuffers extends DefaultMaxMessagesRecvByteBufAllocator {
  /** Longest coalesced datagram, in bytes. */
  static final int MOST_DATAGRAM = 65_535;

  /**
   * Bytes for each datagram when many are read with one call; longer ones are truncated and
   * dropped.
   */
  static final int PLACE = 9216;

  /** Datagrams of one call. */
  private static final int DATAGRAMS = 64;

  private static final int MOST_AT_A_STRETCH = 256;

  /** Reads after which it is clear whether the system coalesces. */
  private static final int ENOUGH = 2000;

  private static final double WORTH_IT = 1.5;

  private int size = MOST_DATAGRAM;
  private long reads;
  private long packets;
  private boolean wentOn;

  DatagramBuffers() {
    super(MOST_AT_A_STRETCH);
  }

  void packet() {
    packets++;
  }

  /** Whether the last series of reads emptied the socket. */
  boolean allRead() {
    return wentOn;
  }

  /** Whether the system does not coalesce; true at most once. */
  boolean wantsManyDatagrams() {
    if (size != MOST_DATAGRAM || reads < ENOUGH) {
      return false;
    }
    boolean separate = packets < WORTH_IT * reads;
    reads = 0;
    packets = 0;
    if (separate) {
      size = DATAGRAMS * PLACE;
    }
    return separate;
  }

  @Override
  @SuppressWarnings("deprecation") // the type that Netty 4.2 itself requires here
  public Handle newHandle() {
    return new MaxMessageHandle() {
      @Override
      public void reset(ChannelConfig config) {
        super.reset(config);
        wentOn = true;
      }

      @Override
      public boolean continueReading(UncheckedBooleanSupplier maybeMore) {
        wentOn = super.continueReading(maybeMore);
        return wentOn;
      }

      @Override
      public ByteBuf allocate(ByteBufAllocator allocator) {
        reads++;
        return allocator.directBuffer(size, size);
      }

      @Override
      public int guess() {
        return size;
      }
    };
  }
}
