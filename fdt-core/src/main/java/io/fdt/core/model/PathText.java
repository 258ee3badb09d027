package io.fdt.core.model;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/**
 * Path bytes as text: valid UTF-8 unchanged, control characters and all other bytes as \n or \xNN.
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

  /** Escapes a text that a peer has escaped before: backslashes are not doubled. */
  public static String escapeRest(byte[] bytes) {
    return escape(bytes, false);
  }

  /** The inverse of {@link #escape}. Text that is not an escape stands for itself. */
  public static byte[] unescape(String text) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(text.length() + 8);
    int start = 0;
    for (int i = text.indexOf('\\'); i >= 0; i = text.indexOf('\\', start)) {
      bytes.writeBytes(text.substring(start, i).getBytes(StandardCharsets.UTF_8));
      start = i + appendUnescaped(bytes, text, i);
    }
    bytes.writeBytes(text.substring(start).getBytes(StandardCharsets.UTF_8));
    return bytes.toByteArray();
  }

  /** The message, preceded by the path unless the message contains it. */
  public static String named(String path, String message) {
    return path.isEmpty() || isNamed(path, message) ? message : path + ": " + message;
  }

  /** Whether a message quotes a path, or a longer one that ends with it. */
  public static boolean isNamed(String path, String message) {
    return message.contains("'" + path + "'") || message.contains("/" + path + "'");
  }

  /**
   * Appends the byte of the escape at a backslash.
   *
   * @return the length of the escape in characters
   */
  private static int appendUnescaped(ByteArrayOutputStream bytes, String text, int backslash) {
    char kind = backslash + 1 < text.length() ? text.charAt(backslash + 1) : 0;
    int plain = "\\nrt".indexOf(kind);
    if (plain >= 0) {
      bytes.write("\\\n\r\t".charAt(plain));
      return 2;
    }
    int digits = kind == 'x' ? 2 : kind == 'u' ? 4 : 0;
    int end = backslash + 2 + digits;
    if (digits == 0
        || end > text.length()
        || !text.substring(end - digits, end).matches("[0-9a-f]+")) {
      bytes.write('\\');
      return 1;
    }
    int value = Integer.parseInt(text.substring(end - digits, end), 16);
    if (kind == 'x') {
      bytes.write(value);
    } else {
      bytes.writeBytes(Character.toString(value).getBytes(StandardCharsets.UTF_8));
    }
    return 2 + digits;
  }

  private static String escape(byte[] bytes, boolean doubleBackslash) {
    if (isPlain(bytes)) {
      return new String(bytes, StandardCharsets.US_ASCII);
    }
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

  /** Fast path: nearly all names are plain, and a client makes a path for each file. */
  private static boolean isPlain(byte[] bytes) {
    for (byte b : bytes) {
      if (b < ' ' || b > '~' || b == '\\') {
        return false;
      }
    }
    return true;
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
