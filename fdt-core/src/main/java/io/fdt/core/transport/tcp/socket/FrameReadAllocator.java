package io.fdt.core.transport.tcp.socket;

import io.fdt.core.wire.FrameReader;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;

/**
 * Chooses the buffers that Netty reads a socket into: small ones at first; after {@link #readInto}
 * the memory of the current frame, so that payloads are neither copied nor spread over mostly empty
 * buffers.
 *
 * <p>One for each connection, set before its first read: Netty asks a channel for its allocator
 * only once. Confined to the event loop of the connection.
 */
public final class FrameReadAllocator extends DefaultMaxMessagesRecvByteBufAllocator {
  /**
   * The most reads of one stream before other streams of the loop get their turn; a header and a
   * payload take two reads at best.
   */
  private static final int READS_AT_A_STRETCH = 32;

  /** Enough for prefaces, joins and most control messages. */
  private static final int SMALL_READ = 16 << 10;

  /** Several TLS records, of at most 16 KiB each. */
  private static final int LARGE_READ = 256 << 10;

  private static final int LEAST_READ = 4 << 10;

  private int readSize = SMALL_READ;
  private boolean adapts;
  private FrameReader reader;
  private ByteBuf last;

  public FrameReadAllocator() {
    super(READS_AT_A_STRETCH);
  }

  /** The allocator of a channel. */
  public static FrameReadAllocator of(Channel channel) {
    return channel.config().getRecvByteBufAllocator();
  }

  /** Later reads are frames. */
  public void readInto(FrameReader frames) {
    reader = frames;
  }

  /** Later reads are large, and not frames. */
  public void readLarge() {
    readSize = LARGE_READ;
  }

  /** Later reads have an unknown size and may be held in memory: buffers adapt to the size. */
  public void readWhatComes() {
    adapts = true;
  }

  /** Whether this buffer is the current {@link FrameReader#target}. */
  @SuppressWarnings("ReferenceEquality") // identity is meant, not equality of content
  public boolean isTarget(ByteBuf buffer) {
    return buffer == last;
  }

  @Override
  @SuppressWarnings("deprecation") // the type that Netty 4.2 itself requires here
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
