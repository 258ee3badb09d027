package io.fdt.cli.monitor;

import org.jline.utils.WCWidth;

/** Text in columns of a terminal, of which some characters take two and some none. Stateless. */
final class PageText {
  private PageText() {}

  /** Columns that a text without control characters takes. */
  static int width(String text) {
    int width = 0;
    for (int i = 0; i < text.length(); i += Character.charCount(text.codePointAt(i))) {
      width += Math.max(0, WCWidth.wcwidth(text.codePointAt(i)));
    }
    return width;
  }

  /** The text, or as much of its beginning as fits, with a dot or two in place of the rest. */
  static String cut(String text, int columns) {
    if (width(text) <= columns) {
      return text;
    }
    String dots = ".".repeat(Math.max(0, Math.min(2, columns)));
    int room = columns - dots.length();
    int end = 0;
    while (end < text.length()) {
      int character = text.codePointAt(end);
      room -= Math.max(0, WCWidth.wcwidth(character));
      if (room < 0) {
        break;
      }
      end += Character.charCount(character);
    }
    return text.substring(0, end) + dots;
  }

  /** The text at the left of a column, cut to its width. */
  static String left(String text, int columns) {
    String cut = cut(text, columns);
    return cut + " ".repeat(columns - width(cut));
  }

  /** The text at the right of a column, cut to its width. */
  static String right(String text, int columns) {
    String cut = cut(text, columns);
    return " ".repeat(columns - width(cut)) + cut;
  }
}
