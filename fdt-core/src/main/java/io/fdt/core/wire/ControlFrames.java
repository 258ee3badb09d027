package io.fdt.core.wire;

import com.google.protobuf.CodedOutputStream;
import io.fdt.core.wire.control.Control;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * Encodes control messages; {@link ControlDecoder} decodes them.
 *
 * <pre>
 *   0              4                    4 + length
 *   +--------------+--------------------+
 *   | length (u32) | protobuf: Control  |     length: 1 to 1 MiB
 *   +--------------+--------------------+
 * </pre>
 *
 * <p>Stateless; any thread.
 */
public final class ControlFrames {
  /** Bytes before each message. */
  public static final int PREFIX = 4;

  /**
   * The longest message. Senders cut lists into messages of some thousand entries well below this;
   * both ends hold at most one message of each connection in memory.
   */
  public static final int MAX_LENGTH = 1 << 20;

  private ControlFrames() {}

  /**
   * A message with its length, in a new buffer that is the caller's.
   *
   * @throws IllegalArgumentException when the message is empty or longer than {@link #MAX_LENGTH}
   */
  public static ByteBuf encode(Control message, ByteBufAllocator allocator) {
    int length = message.getSerializedSize();
    if (length < 1 || length > MAX_LENGTH) {
      throw new IllegalArgumentException(
          message.getBodyCase() + " message of " + length + " bytes (1 to " + MAX_LENGTH + ")");
    }
    ByteBuf frame = allocator.buffer(PREFIX + length, PREFIX + length);
    boolean complete = false;
    try {
      frame.writeInt(length);
      CodedOutputStream out = CodedOutputStream.newInstance(frame.nioBuffer(PREFIX, length));
      message.writeTo(out);
      out.flush();
      frame.writerIndex(PREFIX + length);
      complete = true;
      return frame;
    } catch (IOException e) {
      throw new UncheckedIOException("no room for a message of " + length + " bytes", e);
    } finally {
      if (!complete) {
        frame.release();
      }
    }
  }
}
