package io.fdt.cli.output;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jline.utils.WCWidth;

/** Text in columns of a terminal, of which some characters take two and some none. Stateless. */
public final class TerminalText {
  /** A line of help that continues the one before. */
  private static final Pattern CONTINUED = Pattern.compile(" {16,}\\S.*|[a-z0-9].*");

  /** Between the names of an option and its description. */
  private static final Pattern GAP = Pattern.compile("(?<=\\S) {2,}(?=\\S)");

  private TerminalText() {}

  /** Columns that a text without control characters takes. */
  public static int width(String text) {
    int width = 0;
    for (int i = 0; i < text.length(); i += Character.charCount(text.codePointAt(i))) {
      width += Math.max(0, WCWidth.wcwidth(text.codePointAt(i)));
    }
    return width;
  }

  /** The text, or as much of its beginning as fits, with a dot or two in place of the rest. */
  public static String cut(String text, int columns) {
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
  public static String left(String text, int columns) {
    String cut = cut(text, columns);
    return cut + " ".repeat(columns - width(cut));
  }

  /** The text at the right of a column, cut to its width. */
  public static String right(String text, int columns) {
    String cut = cut(text, columns);
    return " ".repeat(columns - width(cut)) + cut;
  }

  /** The text, or as much of its end as fits, with a dot or two in place of the rest. */
  public static String cutStart(String text, int columns) {
    String reversed = new StringBuilder(text).reverse().toString();
    return new StringBuilder(cut(reversed, columns)).reverse().toString();
  }

  /**
   * The text in lines, broken between words. Further lines are indented by two more than the first.
   * A word longer than a line is not broken.
   */
  public static List<String> wrap(String text, int columns) {
    List<String> lines = new ArrayList<>();
    String indent = " ".repeat(text.length() - text.stripLeading().length() + 2);
    String rest = text;
    while (width(rest) > columns) {
      int end = lastBreak(rest, columns);
      if (end < 0) {
        break;
      }
      lines.add(rest.substring(0, end).stripTrailing());
      rest = indent + rest.substring(end).stripLeading();
    }
    lines.add(rest);
    return lines;
  }

  /** A help of 80 columns in fewer: descriptions stand beneath the names of their options. */
  public static String narrow(String help, int columns) {
    List<String> whole = new ArrayList<>();
    for (String line : help.lines().toList()) {
      int last = whole.size() - 1;
      if (last < 0 || whole.get(last).isEmpty() || !CONTINUED.matcher(line).matches()) {
        whole.add(line);
      } else {
        boolean isDescription = line.startsWith(" ") && !GAP.matcher(whole.get(last)).find();
        String gap = isDescription ? "  " : " ";
        whole.set(last, whole.get(last) + gap + line.strip());
      }
    }
    return whole.stream()
        .flatMap(line -> Stream.of(GAP.matcher(line).replaceFirst("\n        ").split("\n")))
        .flatMap(line -> wrap(line, columns).stream())
        .collect(Collectors.joining("\n"));
  }

  /** The last space after a word within the columns, or the first one after them; -1 for none. */
  private static int lastBreak(String text, int columns) {
    int found = -1;
    int start = text.length() - text.stripLeading().length();
    for (int i = text.indexOf(' ', start); i >= 0; i = text.indexOf(' ', i + 1)) {
      boolean fits = width(text.substring(0, i)) <= columns;
      if (found >= 0 && !fits) {
        break;
      }
      found = i;
    }
    return found >= 0 && text.substring(found).isBlank() ? -1 : found;
  }
}
