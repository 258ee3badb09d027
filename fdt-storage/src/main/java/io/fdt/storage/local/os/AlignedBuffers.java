package io.fdt.storage.local.os;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.concurrent.ArrayBlockingQueue;

/** Memory for direct I/O, aligned to what every device accepts, and kept for later use. */
final class AlignedBuffers {
  /** No device needs a larger one. */
  static final int ALIGNMENT = 4096;

  /** As much as a block by default. */
  private static final int LENGTH = 1 << 20;

  /** Idle buffers that are kept: one for each thread of eight disks. */
  private static final ArrayBlockingQueue<ByteBuf> IDLE = new ArrayBlockingQueue<>(16);

  private AlignedBuffers() {}

  /** An empty buffer of the caller's own. */
  static ByteBuf take() {
    ByteBuf idle = IDLE.poll();
    return idle != null
        ? idle.clear()
        : Unpooled.wrappedBuffer(
                ByteBuffer.allocateDirect(LENGTH + ALIGNMENT)
                    .alignedSlice(ALIGNMENT)
                    .slice(0, LENGTH))
            .clear();
  }

  static void giveBack(ByteBuf buffer) {
    if (!IDLE.offer(buffer)) {
      buffer.release();
    }
  }
}
