package io.fdt.core.model;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/**
 * A lossless encoding of arbitrary bytes as text.
 *
 * <p>Valid UTF-8 becomes its characters; each other byte 0xNN becomes the lone surrogate U+DCNN,
 * which UTF-8 never decodes to. A parser of command lines can work on such text as on any other.
 */
public final class ByteText {
  /** U+DC00 + 0x80 to U+DC00 + 0xFF stand for the bytes 0x80 to 0xFF. */
  private static final int ESCAPE_BASE = 0xDC00;

  private ByteText() {}

  public static String decode(byte[] bytes) {
    CharsetDecoder decoder =
        StandardCharsets.UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPORT)
            .onUnmappableCharacter(CodingErrorAction.REPORT);
    ByteBuffer in = ByteBuffer.wrap(bytes);
    CharBuffer out = CharBuffer.allocate(bytes.length);
    while (in.hasRemaining()) {
      CoderResult result = decoder.decode(in, out, true);
      for (int i = 0; result.isError() && i < result.length(); i++) {
        out.put((char) (ESCAPE_BASE + (in.get() & 0xFF)));
      }
      decoder.reset();
    }
    return out.flip().toString();
  }

  /** The inverse of {@link #decode}. */
  public static byte[] encode(String text) {
    ByteArrayOutputStream out = new ByteArrayOutputStream(text.length() + 16);
    int start = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (Character.isHighSurrogate(c)) {
        i++; // the other half of a character, not an escape
      } else if (isEscape(c)) {
        out.writeBytes(text.substring(start, i).getBytes(StandardCharsets.UTF_8));
        out.write(c - ESCAPE_BASE);
        start = i + 1;
      }
    }
    out.writeBytes(text.substring(start).getBytes(StandardCharsets.UTF_8));
    return out.toByteArray();
  }

  /** The path that a text names. */
  public static BytePath path(String text) {
    return BytePath.of(encode(text));
  }

  /** Whether this character, outside of a pair, stands for a byte that is not text. */
  public static boolean isEscape(char c) {
    return c >= ESCAPE_BASE + 0x80 && c <= ESCAPE_BASE + 0xFF;
  }

  /** The byte that an escape stands for, 0x80 to 0xFF. */
  public static int escapedByte(char c) {
    return c - ESCAPE_BASE;
  }
}
