package io.fdt.core.manifest;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/**
 * The text of path bytes for people: valid UTF-8 as it is, control characters and all other bytes
 * as \n or \xNN.
 */
public final class PathText {
  private PathText() {}

  /**
   * The text of these bytes: one line, no control characters, nothing lost (a backslash is
   * doubled).
   */
  public static String escape(byte[] bytes) {
    return escape(bytes, true);
  }

  /**
   * Text that a peer has escaped: what it left is escaped here, and its backslashes stay as they
   * are.
   */
  public static String escapeRest(byte[] bytes) {
    return escape(bytes, false);
  }

  private static String escape(byte[] bytes, boolean doubleBackslash) {
    CharsetDecoder decoder =
        StandardCharsets.UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPORT)
            .onUnmappableCharacter(CodingErrorAction.REPORT);
    ByteBuffer in = ByteBuffer.wrap(bytes);
    CharBuffer out = CharBuffer.allocate(bytes.length);
    StringBuilder text = new StringBuilder(bytes.length + 8);
    while (in.hasRemaining()) {
      CoderResult result = decoder.decode(in, out, true);
      out.flip();
      appendEscaped(text, out, doubleBackslash);
      out.clear();
      if (result.isError()) {
        for (int i = 0; i < result.length(); i++) {
          text.append(String.format("\\x%02x", in.get() & 0xFF));
        }
      }
      decoder.reset();
    }
    return text.toString();
  }

  private static void appendEscaped(
      StringBuilder text, CharBuffer characters, boolean doubleBackslash) {
    while (characters.hasRemaining()) {
      char c = characters.get();
      switch (c) {
        case '\n' -> text.append("\\n");
        case '\r' -> text.append("\\r");
        case '\t' -> text.append("\\t");
        case '\\' -> text.append(doubleBackslash ? "\\\\" : "\\");
        default -> {
          if (Character.isISOControl(c) || isDirectionControl(c)) {
            text.append(String.format("\\u%04x", (int) c));
          } else {
            text.append(c);
          }
        }
      }
    }
  }

  /** Characters that reorder or hide the text around them (a terminal would show another name). */
  private static boolean isDirectionControl(char c) {
    return (c >= '\u200e' && c <= '\u200f')
        || (c >= '\u2028' && c <= '\u202e')
        || (c >= '\u2066' && c <= '\u2069');
  }
}
