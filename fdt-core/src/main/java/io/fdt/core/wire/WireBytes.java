package io.fdt.core.wire;

import io.netty.buffer.ByteBuf;

/** Guards on the bytes of fixed-length structures. Stateless; any thread. */
final class WireBytes {
  private WireBytes() {}

  /**
   * Checks the length before anything is read.
   *
   * @throws IndexOutOfBoundsException when fewer than {@code length} bytes are readable
   */
  static void requireReadable(ByteBuf in, int length, String what) {
    if (in.readableBytes() < length) {
      throw new IndexOutOfBoundsException(
          what + " needs " + length + " bytes, there are " + in.readableBytes());
    }
  }
}
