package io.fdt.core.model;

import java.util.BitSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * On which processors the threads of transfers run. Immutable.
 *
 * @param rule how they are chosen
 * @param processors those of a list; otherwise empty
 */
public record Affinity(Rule rule, BitSet processors) {
  /** How processors are chosen. */
  public enum Rule {
    /** Processors of the node of memory that the card, or the disk, hangs on. */
    AUTO,
    /** The system chooses. */
    OFF,
    /** Processors of a list. */
    LIST
  }

  public static final Affinity AUTO = new Affinity(Rule.AUTO, new BitSet());
  public static final Affinity OFF = new Affinity(Rule.OFF, new BitSet());

  /** Linux has no more processors. */
  private static final int MOST_PROCESSORS = 8192;

  private static final Pattern PART = Pattern.compile("([0-9]{1,4})(?:-([0-9]{1,4}))?");

  public Affinity {
    processors = (BitSet) processors.clone();
  }

  @Override
  public BitSet processors() {
    return (BitSet) processors.clone();
  }

  /**
   * Reads {@code auto}, {@code off} or a list as that of taskset: {@code 0-7,16}.
   *
   * @throws IllegalArgumentException for any other text
   */
  public static Affinity parse(String text) {
    return switch (text) {
      case "auto" -> AUTO;
      case "off" -> OFF;
      default -> new Affinity(Rule.LIST, list(text));
    };
  }

  /**
   * Reads a list of numbers and ranges, as Linux writes them.
   *
   * @throws IllegalArgumentException for any other text
   */
  public static BitSet list(String text) {
    BitSet numbers = new BitSet();
    for (String part : text.split(",", -1)) {
      Matcher range = PART.matcher(part);
      int first = range.matches() ? Integer.parseInt(range.group(1)) : -1;
      int last = first < 0 || range.group(2) == null ? first : Integer.parseInt(range.group(2));
      if (first < 0 || last < first || last >= MOST_PROCESSORS) {
        throw new IllegalArgumentException(
            "'" + text + "' is none of auto, off and a list of processors such as 0-7,16");
      }
      numbers.set(first, last + 1);
    }
    return numbers;
  }

  /** The list of these numbers, as Linux writes them. */
  public static String text(BitSet numbers) {
    StringBuilder text = new StringBuilder();
    for (int first = numbers.nextSetBit(0); first >= 0; ) {
      int end = numbers.nextClearBit(first);
      text.append(text.length() == 0 ? "" : ",").append(first);
      if (end > first + 1) {
        text.append('-').append(end - 1);
      }
      first = numbers.nextSetBit(end);
    }
    return text.toString();
  }
}
