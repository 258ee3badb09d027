package io.fdt.cli.option.transfer;

import io.fdt.cli.option.parse.OptionValue;
import io.fdt.cli.option.parse.Options;
import io.fdt.cli.option.parse.ParsedLine;
import io.fdt.cli.option.parse.UsageException;
import io.fdt.core.model.NamePattern;
import io.fdt.core.model.Selection;
import io.fdt.core.model.Timestamp;
import io.fdt.core.unit.ByteSize;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;

/** The options that choose among the files beneath the sources. Pure. */
public final class SelectionOptions {
  static final String INCLUDE = "--include";
  static final String EXCLUDE = "--exclude";
  private static final String MIN_SIZE = "--min-size";
  private static final String MAX_SIZE = "--max-size";
  private static final String MIN_AGE = "--min-age";
  private static final String MAX_AGE = "--max-age";
  private static final String MAX_DEPTH = "--max-depth";
  private static final String ONE_FILE_SYSTEM = "--one-file-system";

  /** All of them. */
  public static final List<String> ALL =
      List.of(INCLUDE, EXCLUDE, MIN_SIZE, MAX_SIZE, MIN_AGE, MAX_AGE, MAX_DEPTH, ONE_FILE_SYSTEM);

  private SelectionOptions() {}

  public static void add(CommandSpec spec) {
    Options.values(
        spec,
        "PATTERN",
        "Skip what matches, in .gitignore syntax; the first matching --include or --exclude"
            + " decides.",
        EXCLUDE);
    Options.values(spec, "PATTERN", "Take what matches, whatever later patterns say.", INCLUDE);
    Options.value(spec, "SIZE", "Skip smaller files.", MIN_SIZE);
    Options.value(spec, "SIZE", "Skip larger files.", MAX_SIZE);
    Options.value(
        spec, "AGE", "Skip files modified more recently than this, such as 2h or 7d.", MIN_AGE);
    Options.value(spec, "AGE", "Skip files modified longer ago than this.", MAX_AGE);
    Options.value(
        spec,
        "N",
        "How many directories to descend; 1: only the files of the source itself.",
        MAX_DEPTH);
    Options.flag(spec, "Leave directories of other file systems empty.", ONE_FILE_SYSTEM);
  }

  /**
   * The selection of a line.
   *
   * @param now the end of ages
   */
  static Selection of(ParsedLine line, Instant now) throws UsageException {
    List<Selection.Rule> rules = new ArrayList<>();
    for (ParsedLine.Given given : line.inOrder(INCLUDE, EXCLUDE)) {
      rules.add(rule(given));
    }
    try {
      return new Selection(
          rules,
          size(line, MIN_SIZE, 0),
          size(line, MAX_SIZE, Long.MAX_VALUE),
          time(line, MAX_AGE, now),
          time(line, MIN_AGE, now),
          OptionValue.count(line, MAX_DEPTH, 1, 1_000_000, Integer.MAX_VALUE),
          line.has(ONE_FILE_SYSTEM));
    } catch (IllegalArgumentException e) {
      throw new UsageException(e.getMessage());
    }
  }

  private static Selection.Rule rule(ParsedLine.Given given) throws UsageException {
    try {
      NamePattern pattern = new NamePattern(OptionValue.path(given.option(), given.value()));
      return new Selection.Rule(pattern, given.option().equals(INCLUDE));
    } catch (IllegalArgumentException e) {
      throw new UsageException(given.option() + ": " + e.getMessage());
    }
  }

  private static long size(ParsedLine line, String option, long otherwise) throws UsageException {
    return OptionValue.size(line, option, 0, Long.MAX_VALUE, "0 and 8EiB")
        .map(ByteSize::bytes)
        .orElse(otherwise);
  }

  private static Timestamp time(ParsedLine line, String option, Instant now) throws UsageException {
    Optional<Duration> age = OptionValue.duration(line, option);
    if (age.isEmpty()) {
      return null;
    }
    Instant time = now.minus(age.get());
    return new Timestamp(time.getEpochSecond(), time.getNano());
  }
}
