package io.fdt.core.unit;

import java.time.Duration;
import java.util.Collection;

/**
 * Parses values of options. All methods throw {@link IllegalArgumentException} for invalid text,
 * with a message for the user. Pure.
 */
public final class ValueText {
  private ValueText() {}

  /** A whole number from {@code least} to {@code most}. */
  public static int count(String text, int least, int most) {
    if (text.matches("[0-9]{1,10}")) {
      long value = Long.parseLong(text);
      if (value >= least && value <= most) {
        return (int) value;
      }
    }
    throw new IllegalArgumentException(
        "'" + text + "' is not a whole number from " + least + " to " + most);
  }

  /**
   * An amount of data, for example 64K or 1MiB.
   *
   * @param range both bounds as text, for the message
   */
  public static ByteSize size(String text, long leastBytes, long mostBytes, String range) {
    ByteSize size = ByteSize.parse(text);
    if (size.bytes() < leastBytes || size.bytes() > mostBytes) {
      throw new IllegalArgumentException("'" + text + "' is not between " + range);
    }
    return size;
  }

  /** A length of time, for example 90s, 5m, 12h or 7d; a number alone is seconds. */
  public static Duration duration(String text) {
    if (!text.matches("[0-9]{1,6}[smhdw]?")) {
      throw new IllegalArgumentException(
          "'" + text + "' is not a duration; write for example 90s, 5m, 12h or 7d");
    }
    long count = Long.parseLong(text.replaceAll("[smhdw]", ""));
    return switch (text.charAt(text.length() - 1)) {
      case 'm' -> Duration.ofMinutes(count);
      case 'h' -> Duration.ofHours(count);
      case 'd' -> Duration.ofDays(count);
      case 'w' -> Duration.ofDays(7 * count);
      default -> Duration.ofSeconds(count);
    };
  }

  /** One of the given words. */
  public static String word(String text, Collection<String> words) {
    if (!words.contains(text)) {
      throw new IllegalArgumentException("'" + text + "' is none of " + String.join(", ", words));
    }
    return text;
  }
}
