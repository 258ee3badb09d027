package io.fdt.cli.output;

import io.fdt.core.model.ByteText;

/**
 * Text that is safe to show as part of one line, wherever it came from: a peer, a file name, an
 * exception.
 *
 * <p>Control characters would let it forge lines or drive the terminal (CWE-117, CWE-150).
 */
public final class LineText {
  private LineText() {}

  /** Escapes every character that is not a visible part of one line. */
  public static String clean(String text) {
    StringBuilder line = null;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean pair =
          Character.isHighSurrogate(c)
              && i + 1 < text.length()
              && Character.isLowSurrogate(text.charAt(i + 1));
      if (!pair && mustEscape(c) && line == null) {
        line = new StringBuilder(text.length() + 16).append(text, 0, i);
      }
      if (line != null) {
        append(line, c, pair);
      }
      if (pair) {
        i++;
        if (line != null) {
          line.append(text.charAt(i));
        }
      }
    }
    return line == null ? text : line.toString();
  }

  private static void append(StringBuilder line, char c, boolean pair) {
    if (pair || !mustEscape(c)) {
      line.append(c);
    } else if (c == '\n') {
      line.append("\\n");
    } else if (c == '\r') {
      line.append("\\r");
    } else if (c == '\t') {
      line.append("\\t");
    } else if (ByteText.isEscape(c)) {
      line.append(String.format("\\x%02x", ByteText.escapedByte(c)));
    } else {
      line.append(String.format("\\u%04x", (int) c));
    }
  }

  private static boolean mustEscape(char c) {
    return Character.isISOControl(c)
        || Character.isSurrogate(c)
        || (c >= '\u200e' && c <= '\u200f')
        || (c >= '\u2028' && c <= '\u202e')
        || (c >= '\u2066' && c <= '\u2069');
  }
}
