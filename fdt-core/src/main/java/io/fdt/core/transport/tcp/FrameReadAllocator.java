package io.fdt.core.transport.tcp;

import io.fdt.core.wire.FrameReader;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;

/**
 * Says where Netty reads a socket to: small buffers at first; from {@link #readInto} on straight
 * into the frame that the bytes belong to, so that payloads are neither copied nor spread over
 * buffers that are mostly empty.
 *
 * <p>One for each connection, from before its first read: Netty asks a channel for its allocator
 * only once. Confined to the event loop of the connection.
 */
final class FrameReadAllocator extends DefaultMaxMessagesRecvByteBufAllocator {
  /**
   * A header and a payload are two reads at best; other streams of the loop get their turn after
   * this many.
   */
  private static final int READS_AT_A_STRETCH = 32;

  /** Prefaces, joins and most control messages fit. */
  private static final int SMALL_READ = 16 << 10;

  /** Several records of TLS, which have 16 KiB at most. */
  private static final int LARGE_READ = 256 << 10;

  private static final int LEAST_READ = 4 << 10;

  private int readSize = SMALL_READ;
  private boolean adapts;
  private FrameReader reader;
  private ByteBuf last;

  FrameReadAllocator() {
    super(READS_AT_A_STRETCH);
  }

  /** The one that this channel was given when it was made. */
  static FrameReadAllocator of(Channel channel) {
    return channel.config().getRecvByteBufAllocator();
  }

  /** What is read from now on are frames. */
  void readInto(FrameReader frames) {
    reader = frames;
  }

  /** What is read from now on is much, and no frames. */
  void readLarge() {
    readSize = LARGE_READ;
  }

  /**
   * What is read from now on may be much or little, and may wait: places are about as large as what
   * comes.
   */
  void readWhatComes() {
    adapts = true;
  }

  /** Whether this buffer is the place that the reader last asked to fill. */
  @SuppressWarnings("ReferenceEquality") // the very buffer is meant, not its content
  boolean isTarget(ByteBuf buffer) {
    return buffer == last;
  }

  @Override
  @SuppressWarnings("deprecation") // the type that Netty 4.2 itself still asks for here
  public Handle newHandle() {
    return new MaxMessageHandle() {
      @Override
      public ByteBuf allocate(ByteBufAllocator allocator) {
        if (reader == null) {
          return allocator.ioBuffer(readSize);
        }
        last = reader.target();
        return last;
      }

      @Override
      public void lastBytesRead(int bytes) {
        super.lastBytesRead(bytes);
        if (adapts && bytes >= readSize) {
          readSize = Math.min(2 * readSize, LARGE_READ);
        } else if (adapts && bytes > 0 && bytes < readSize / 4) {
          readSize = Math.max(readSize / 2, LEAST_READ);
        }
      }

      @Override
      public int guess() {
        return readSize;
      }
    };
  }
}
