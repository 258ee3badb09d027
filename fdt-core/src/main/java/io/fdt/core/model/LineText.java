package io.fdt.core.model;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;

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

  /**
   * A log message, with an argument for each {} of the pattern. After an equals sign it is a value:
   * in quotes, with \" and \\ in it, unless it is one word.
   *
   * @param arguments null for none
   */
  public static String message(String pattern, Object[] arguments) {
    if (arguments == null) {
      return pattern;
    }
    StringBuilder message = new StringBuilder(pattern.length() + 16 * arguments.length);
    int start = 0;
    for (Object argument : arguments) {
      int place = pattern.indexOf("{}", start);
      if (place < 0) {
        break;
      }
      message.append(pattern, start, place);
      boolean isValue = place > 0 && pattern.charAt(place - 1) == '=';
      String text = String.valueOf(argument);
      message.append(isValue ? value(text) : text);
      start = place + 2;
    }
    return message.append(pattern, start, pattern.length()).toString();
  }

  private static String value(String text) {
    boolean isWord =
        !text.isEmpty()
            && text.chars()
                .noneMatch(
                    c ->
                        "\"=\\".indexOf(c) >= 0
                            || Character.isSpaceChar(c)
                            || mustEscape((char) c));
    return isWord ? text : '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }

  /**
   * A line of a log.
   *
   * @param thrown what follows the message; empty for nothing
   */
  public static String logged(Instant time, String level, String message, String thrown) {
    String moment = time.truncatedTo(ChronoUnit.MILLIS).toString();
    return String.format(Locale.US, "%s %-5s %s%s", moment, level, clean(message), clean(thrown));
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
