package io.fdt.cli.option.transfer;

import io.fdt.cli.option.parse.OptionValue;
import io.fdt.cli.option.parse.Options;
import io.fdt.cli.option.parse.ParsedLine;
import io.fdt.cli.option.parse.UsageException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;

/** The options about output and dry runs. Pure. */
public final class OutputOptions {
  public static final String JSON = "--json";
  public static final String DRY_RUN = "--dry-run";
  private static final String REPORT = "--report";
  static final String EXPLAIN = "--explain";
  static final String MONITOR = "--monitor";
  private static final String QUIET = "--quiet";
  private static final String DIGESTS = "--list-digests";

  /** The names of all these options. */
  public static final List<String> ALL =
      List.of(DRY_RUN, JSON, REPORT, DIGESTS, EXPLAIN, MONITOR, QUIET);

  /** Options of a command that runs until the copy ends. */
  public static final List<String> OF_WHOLE = List.of(DRY_RUN, REPORT, EXPLAIN, MONITOR);

  private OutputOptions() {}

  public static void add(CommandSpec spec) {
    Options.flag(spec, "Show what would be copied and how much; change nothing.", DRY_RUN, "-n");
    json(spec);
    report(spec, "Write the outcome of each file to FILE");
    digests(spec);
    Options.flag(
        spec,
        "Report what limits the transfer and what would help, during the transfer and at its"
            + " end.",
        EXPLAIN);
    Options.flag(
        spec,
        "Fill the terminal with the figures of the transfer and of both ends; with --json: an event"
            + " each second.",
        MONITOR);
    quiet(spec);
  }

  /** Adds the options for a running transfer. */
  public static void following(CommandSpec spec) {
    json(spec);
    report(
        spec,
        "Write the problems so far, the outcome of each file from now on and the summary to FILE");
    digests(spec);
    quiet(spec);
  }

  /** Adds the option of all commands with JSON. */
  public static void json(CommandSpec spec) {
    Options.flag(spec, "Print one JSON object per line on standard output.", JSON);
  }

  private static void digests(CommandSpec spec) {
    Options.flag(spec, "Name each copied file, after its digest; -v names it alone.", DIGESTS);
  }

  private static void quiet(CommandSpec spec) {
    Options.flag(spec, "Print errors only.", QUIET);
  }

  private static void report(CommandSpec spec, String text) {
    Options.value(
        spec, "FILE", text + ", as JSON; schema: $defs/report in json-events.schema.json.", REPORT);
  }

  public static CopyOutput of(ParsedLine line) throws UsageException {
    boolean json = line.has(JSON);
    boolean quiet = line.has(QUIET);
    boolean explain = line.has(EXPLAIN);
    boolean monitor = line.has(MONITOR);
    if (quiet) {
      for (String option : List.of(JSON, "-v", DIGESTS, EXPLAIN, MONITOR)) {
        if (option.equals("-v") ? line.verbosity() > 0 : line.has(option)) {
          throw new UsageException("--quiet and " + option + " contradict each other");
        }
      }
    }
    return new CopyOutput(
        json,
        quiet,
        line.has(DIGESTS),
        explain,
        monitor,
        written(line, REPORT),
        CopySums.NONE,
        CopyOutput.Occasion.USUAL);
  }

  /** The file that an option has written; - is standard output. */
  static Optional<Path> written(ParsedLine line, String option) throws UsageException {
    Optional<Path> file = OptionValue.file(line, option);
    if (file.isEmpty() || !file.get().toString().equals(PartOptions.STANDARD)) {
      return file;
    }
    if (line.has(JSON) || line.operands().contains(PartOptions.STANDARD)) {
      throw new UsageException(
          "%s -: standard output has %s already; name a file"
              .formatted(option, line.has(JSON) ? "the events of " + JSON : "the copied file"));
    }
    return Optional.of(CopyOutput.STANDARD);
  }

  /** Whether an invalid command line asks for JSON. */
  public static boolean wantsJson(List<String> arguments) {
    int end = arguments.contains("--") ? arguments.indexOf("--") : arguments.size();
    return arguments.subList(0, end).contains(JSON);
  }
}
