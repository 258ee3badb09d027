package io.fdt.core.transport.tcp;

import io.fdt.core.wire.FrameReader;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;

/**
 * Has Netty read each socket straight into the frame that the bytes belong to, so that payloads are
 * neither copied nor spread over buffers that are mostly empty.
 *
 * <p>One for each stream. Confined to its event loop.
 */
final class FrameReadAllocator extends DefaultMaxMessagesRecvByteBufAllocator {
  /**
   * A header and a payload are two reads at best; other streams of the loop get their turn after
   * this many.
   */
  private static final int READS_AT_A_STRETCH = 32;

  private final FrameReader reader;
  private ByteBuf last;

  FrameReadAllocator(FrameReader reader) {
    super(READS_AT_A_STRETCH);
    this.reader = reader;
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
        last = reader.target();
        return last;
      }

      @Override
      public int guess() {
        return 1;
      }
    };
  }
}
