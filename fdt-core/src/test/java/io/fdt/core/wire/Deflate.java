package io.fdt.core.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/** Frames whose payloads are compressed with deflate, encoding 1. */
public final class Deflate implements PayloadDecoder {
  private static final int CODE = 1;

  /** The same frame with its payload encoded. */
  public static byte[] encoded(byte[] frame) {
    try {
      ByteBuf plain = Unpooled.wrappedBuffer(frame);
      FrameHeader header = FrameHeader.read(plain, frame.length);
      Deflater deflater = new Deflater();
      deflater.setInput(frame, FrameHeader.LENGTH, header.length());
      deflater.finish();
      byte[] out = new byte[FrameHeader.LENGTH + 2 * header.length() + 64];
      int length = deflater.deflate(out, FrameHeader.LENGTH, out.length - FrameHeader.LENGTH);
      deflater.end();
      header.encoded(CODE, length).writeAt(Unpooled.wrappedBuffer(out), 0);
      return Arrays.copyOf(out, FrameHeader.LENGTH + length);
    } catch (io.fdt.core.error.FdtException e) {
      throw new IllegalArgumentException(e);
    }
  }

  @Override
  public boolean decode(int encoding, ByteBuf encoded, ByteBuf plain) {
    assert encoding == CODE;
    Inflater inflater = new Inflater();
    try {
      inflater.setInput(ByteBufUtil.getBytes(encoded));
      byte[] out = new byte[plain.capacity()];
      int length = inflater.inflate(out);
      plain.writeBytes(out, 0, length);
      boolean full = length == out.length && inflater.getRemaining() == 0;
      // One byte more must be the end.
      return full && inflater.inflate(new byte[1]) == 0 && inflater.finished();
    } catch (DataFormatException e) {
      return false;
    } finally {
      inflater.end();
    }
  }
}
