package io.fdt.server;

import io.fdt.core.error.FdtException;
import io.fdt.core.wire.Crc32c;
import io.fdt.core.wire.FrameHeader;
import io.fdt.core.wire.Recall;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Random;

/** Blocks whose bytes follow from a seed. */
final class Frames {
  private Frames() {}

  static byte[] payload(int seed, int length) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  /** Appends the frame of a block. */
  static void write(ByteBuf out, long number, byte[] payload) {
    header(number, payload).write(out);
    out.writeBytes(payload);
  }

  static ByteBuf frame(long number, byte[] payload) {
    ByteBuf out = Unpooled.buffer(FrameHeader.LENGTH + payload.length);
    write(out, number, payload);
    return out;
  }

  static FrameHeader header(long number, byte[] payload) {
    ByteBuf bytes = Unpooled.wrappedBuffer(payload);
    int crc = Crc32c.of(bytes, 0, payload.length);
    return FrameHeader.block(number, 1, number << 20, payload.length, crc);
  }

  static Recall recall(long number, byte[] payload) {
    byte[] digest = Recall.digest(Unpooled.wrappedBuffer(payload), 0, payload.length);
    return new Recall(header(number, payload), digest);
  }

  /** Whether bytes are a frame with a number and a payload. */
  static boolean is(ByteBuf frame, long number, byte[] payload) throws FdtException {
    ByteBuf in = frame.duplicate();
    FrameHeader header = FrameHeader.read(in, Integer.MAX_VALUE);
    return header.equals(header(number, payload)) && in.equals(Unpooled.wrappedBuffer(payload));
  }
}
