package io.fdt.core.wire;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The CRC-32C (Castagnoli) checksum of bytes in Netty buffers, computed in place.
 *
 * <p>Not thread-safe. Other threads may read the buffers meanwhile: every update uses its own view.
 * (The view inside a buffer, {@code internalNioBuffer}, would save one small object, but Netty's
 * own file writes duplicate it, and its position must not move under them.)
 */
public final class Crc32c {
  private final CRC32C crc = new CRC32C();

  /**
   * The checksum of {@code length} bytes of a buffer from {@code index} on; its reader and writer
   * index do not move.
   */
  public static int of(ByteBuf buf, int index, int length) {
    return new Crc32c().update(buf, index, length).value();
  }

  /**
   * Appends {@code length} bytes of a buffer from {@code index} on; its reader and writer index do
   * not move.
   */
  public Crc32c update(ByteBuf buf, int index, int length) {
    if (buf.nioBufferCount() == 1) {
      crc.update(buf.nioBuffer(index, length));
      return this;
    }
    if (buf.nioBufferCount() > 1) {
      for (ByteBuffer part : buf.nioBuffers(index, length)) {
        crc.update(part);
      }
      return this;
    }
    buf.forEachByte(
        index,
        length,
        value -> {
          crc.update(value);
          return true;
        });
    return this;
  }

  /** The checksum of everything since the last reset; 0 for nothing. */
  public int value() {
    return (int) crc.getValue();
  }

  public void reset() {
    crc.reset();
  }
}
