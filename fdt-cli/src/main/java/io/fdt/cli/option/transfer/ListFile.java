package io.fdt.cli.option.transfer;

import io.fdt.cli.option.parse.UsageException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Operand;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The format of FDT's file lists: one source per line; {@code source / target} gives its name
 * beneath the destination. Entries may end with NUL instead of a newline: then names may contain
 * newlines, and there are no comments.
 *
 * <p>A line is a sequence of bytes, so it can hold any name without a newline. Empty lines and
 * lines that start with # are skipped (a name that starts with # is written ./#name). Blanks or
 * tabs must stand on both sides of the slash that separates source and target. Lines may end as on
 * Windows: a name whose last byte is a carriage return needs NUL as separator. Pure.
 */
final class ListFile {
  private ListFile() {}

  /**
   * One source of a list.
   *
   * @param where it stands there, for messages
   */
  record Listed(String where, Operand operand) {}

  /**
   * Reads a list.
   *
   * @param name the name of the list in messages
   * @param endsWithNul whether entries end with NUL rather than with a newline
   */
  static List<Listed> parse(String name, byte[] content, boolean endsWithNul)
      throws UsageException {
    byte separator = (byte) (endsWithNul ? 0 : '\n');
    List<Listed> operands = new ArrayList<>();
    int lineNumber = 0;
    int start = 0;
    while (start < content.length) {
      int end = start;
      while (end < content.length && content[end] != separator) {
        end++;
      }
      int next = end + 1;
      if (!endsWithNul && end > start && content[end - 1] == '\r') {
        end--;
      }
      lineNumber++;
      boolean isComment = !endsWithNul && end > start && content[start] == '#';
      if (end > start && !isComment) {
        String where = name + (endsWithNul ? " entry " : " line ") + lineNumber;
        operands.add(new Listed(where, operand(where, Arrays.copyOfRange(content, start, end))));
      }
      start = next;
    }
    return operands;
  }

  private static Operand operand(String where, byte[] line) throws UsageException {
    int slash = separator(line, 0);
    try {
      if (slash < 0) {
        return Operand.of(BytePath.of(line));
      }
      if (separator(line, slash + 1) >= 0) {
        throw new UsageException(where + ": more than one ' / ' between source and target");
      }
      BytePath source = BytePath.of(Arrays.copyOfRange(line, 0, backwardOverBlanks(line, slash)));
      BytePath target =
          BytePath.of(Arrays.copyOfRange(line, forwardOverBlanks(line, slash + 1), line.length));
      if (source.isEmpty() || target.names().isEmpty()) {
        throw new UsageException(where + ": a name is missing beside ' / '");
      }
      return new Operand(source, Optional.of(target));
    } catch (IllegalArgumentException e) {
      throw new UsageException(where + ": " + e.getMessage());
    }
  }

  /** The position of a slash between blanks, or -1. */
  private static int separator(byte[] line, int from) {
    for (int i = Math.max(from, 1); i + 1 < line.length; i++) {
      if (line[i] == '/' && isBlank(line[i - 1]) && isBlank(line[i + 1])) {
        return i;
      }
    }
    return -1;
  }

  private static int backwardOverBlanks(byte[] line, int end) {
    int i = end;
    while (i > 0 && isBlank(line[i - 1])) {
      i--;
    }
    return i;
  }

  private static int forwardOverBlanks(byte[] line, int start) {
    int i = start;
    while (i < line.length && isBlank(line[i])) {
      i++;
    }
    return i;
  }

  private static boolean isBlank(byte b) {
    return b == ' ' || b == '\t';
  }
}
