package io.fdt.cli.option.transfer;

import io.fdt.cli.option.parse.ReferredFile;
import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.process.Surroundings;
import io.fdt.core.model.ByteText;
import io.fdt.core.model.NamePattern;
import io.fdt.core.spec.TransferOptions;
import java.util.ArrayList;
import java.util.List;

/**
 * The format of {@code --exclude-from}, {@code --include-from} and {@code --filter-from}: one
 * pattern per line. Empty lines, and those that start with # or ;, are skipped; lines may end as on
 * Windows; blanks at the end are ignored, unless a backslash precedes them, as in a .gitignore. As
 * in rsync's files, {@code + PATTERN} includes and {@code - PATTERN} excludes, whichever option
 * names the file. Pure but for the file.
 */
final class PatternFile {
  /** The meaning of a line without + or -. */
  enum Bare {
    EXCLUDES,
    INCLUDES,
    IS_WRONG
  }

  private PatternFile() {}

  /**
   * The patterns as options, in their order: --exclude=PATTERN or --include=PATTERN.
   *
   * @param option that names the file, for messages
   */
  static List<String> read(String option, String file, Bare bare, Surroundings surroundings)
      throws UsageException {
    String what = option + " " + file;
    List<String> options = new ArrayList<>();
    String[] lines = ByteText.decode(ReferredFile.read(what, file, surroundings)).split("\n", -1);
    for (int i = 0; i < lines.length; i++) {
      String line = withoutEnd(lines[i]);
      if (!line.isBlank() && !line.startsWith("#") && !line.startsWith(";")) {
        options.add(option(what + " line " + (i + 1), line, bare));
      }
    }
    return options;
  }

  private static String withoutEnd(String line) {
    int end = line.endsWith("\r") ? line.length() - 1 : line.length();
    while (end > 0 && isBlank(line.charAt(end - 1)) && !(end > 1 && line.charAt(end - 2) == '\\')) {
      end--;
    }
    return line.substring(0, end);
  }

  private static boolean isBlank(char c) {
    return c == ' ' || c == '\t';
  }

  private static String option(String where, String line, Bare bare) throws UsageException {
    if (line.startsWith("!")) {
      throw new UsageException(where + ": '" + line + "': write '+ PATTERN' for what is taken");
    }
    boolean isSigned = line.startsWith("+ ") || line.startsWith("- ");
    if (!isSigned && bare == Bare.IS_WRONG) {
      throw new UsageException(
          where + ": '" + line + "': write '+ PATTERN' or '- PATTERN', which includes or excludes");
    }
    boolean takes = isSigned ? line.startsWith("+ ") : bare == Bare.INCLUDES;
    String pattern = isSigned ? line.substring(2) : line;
    try {
      new NamePattern(ByteText.path(pattern));
    } catch (IllegalArgumentException e) {
      throw new UsageException(where + ": " + e.getMessage());
    }
    return (takes ? TransferOptions.INCLUDE.name() : TransferOptions.EXCLUDE.name())
        + "="
        + pattern;
  }
}
