package io.fdt.cli.option.transfer;

import io.fdt.cli.option.parse.OptionValue;
import io.fdt.cli.option.parse.Options;
import io.fdt.cli.option.parse.ParsedLine;
import io.fdt.cli.option.parse.UsageException;
import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;

/** The options for the user's code that runs before and after transfers. Pure. */
public final class FilterOptions {
  private static final String BEFORE = "--pre-filter";
  private static final String AFTER = "--post-filter";
  private static final String PATH = "--filter-path";

  /** The names of all these options. */
  public static final List<String> ALL = List.of(BEFORE, AFTER, PATH);

  private FilterOptions() {}

  public static void add(CommandSpec spec) {
    Options.values(
        spec,
        "CLASS[,CLASS]",
        "Run these classes before the transfer; they can change what is transferred.",
        BEFORE,
        "-preFilters");
    Options.values(
        spec,
        "CLASS[,CLASS]",
        "Run these classes after the transfer, with the outcome of each file.",
        AFTER,
        "-postFilters");
    Options.values(
        spec,
        "JAR|DIR[:...]",
        "Where to find filter classes, in addition to the class path.",
        PATH);
  }

  public static FilterNames of(ParsedLine line) throws UsageException {
    List<Path> path = new ArrayList<>();
    for (String place : split(line, PATH, File.pathSeparator)) {
      path.add(OptionValue.file(PATH, place));
    }
    List<String> before = split(line, BEFORE, ",");
    List<String> after = split(line, AFTER, ",");
    if (!path.isEmpty() && before.isEmpty() && after.isEmpty()) {
      throw new UsageException(PATH + " needs " + BEFORE + " or " + AFTER);
    }
    return new FilterNames(before, after, List.copyOf(path));
  }

  private static List<String> split(ParsedLine line, String option, String separator)
      throws UsageException {
    List<String> words = new ArrayList<>();
    for (String value : line.values(option)) {
      for (String word : value.split(separator, -1)) {
        if (word.isEmpty()) {
          throw new UsageException(option + ": an empty name in '" + value + "'");
        }
        words.add(word);
      }
    }
    return List.copyOf(words);
  }
}
