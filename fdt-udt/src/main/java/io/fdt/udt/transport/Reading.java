package io.fdt.udt.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.RecvByteBufAllocator;

/**
 * Bytes that a channel has read and not yet passed to its pipeline. Confined to the channel's event
 * loop.
 */
final class Reading {
  private final UdtChannel channel;
  private ByteBuf bytes;
  private boolean wanted;

  Reading(UdtChannel channel) {
    this.channel = channel;
  }

  /** Handles a request of the pipeline for more bytes. */
  void want() {
    wanted = true;
  }

  /**
   * Adds bytes of the stream.
   *
   * @return the number consumed: all once the channel is closed
   */
  @SuppressWarnings("deprecation") // the type that Netty 4.2 itself requires here
  int deliver(ByteBuf memory, int index, int length) {
    RecvByteBufAllocator.Handle allocation = channel.unsafe().recvBufAllocHandle();
    int taken = 0;
    while (taken < length && channel.isOpen() && (wanted || channel.config().isAutoRead())) {
      if (bytes == null) {
        allocation.reset(channel.config());
        bytes = allocation.allocate(channel.alloc());
      }
      int count = Math.min(length - taken, bytes.writableBytes());
      bytes.writeBytes(memory, index + taken, count);
      taken += count;
      if (!bytes.isWritable()) {
        handOn();
      }
    }
    return channel.isOpen() ? taken : length;
  }

  /** Passes the bytes to the pipeline. */
  void handOn() {
    if (bytes == null) {
      return;
    }
    ByteBuf read = bytes;
    bytes = null;
    wanted = false;
    channel.unsafe().recvBufAllocHandle().lastBytesRead(read.readableBytes());
    channel.pipeline().fireChannelRead(read);
    channel.pipeline().fireChannelReadComplete();
    if (channel.config().isAutoRead()) {
      channel.read();
    }
  }

  void release() {
    if (bytes != null) {
      bytes.release();
      bytes = null;
    }
  }
}
