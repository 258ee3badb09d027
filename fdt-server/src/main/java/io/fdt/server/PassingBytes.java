package io.fdt.server;

import io.netty.buffer.ByteBuf;

/**
 * Bytes of a connection on their way.
 *
 * @param position of the first one, of all that have gone in this direction
 * @param firstFrame how many bytes from there the first frame begins, maybe behind the last of
 *     them; negative where that is not known
 */
record PassingBytes(ByteBuf bytes, long position, long firstFrame) {
  int length() {
    return bytes.readableBytes();
  }

  int capacity() {
    return bytes.capacity();
  }

  /**
   * The same with more bytes at their end, if there is room for them without a copy of its own; the
   * bytes of the other are copied, and stay whose they are.
   */
  PassingBytes with(PassingBytes more) {
    long first = firstFrame >= 0 || more.firstFrame < 0 ? firstFrame : length() + more.firstFrame;
    bytes.writeBytes(more.bytes, more.bytes.readerIndex(), more.length());
    return new PassingBytes(bytes, position, first);
  }
}
