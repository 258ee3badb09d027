package io.fdt.cli.run;

import io.fdt.cli.option.parse.ParsedLine;
import io.fdt.cli.option.parse.UsageException;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;

/**
 * A command and its verbosity.
 *
 * @param verbosity 0 to 3: warnings, events, details, everything
 */
public record Invocation(Command command, int verbosity) {
  /** Makes a command from a line whose options are all known. */
  @FunctionalInterface
  public interface Reading {
    Command of(ParsedLine line) throws UsageException;
  }

  /** Reads a command line; help and version take precedence over errors. */
  public static Invocation of(CommandSpec spec, List<String> arguments, Reading reading)
      throws UsageException {
    ParsedLine line = ParsedLine.parse(spec, arguments);
    Command command =
        line.isForHelp()
            ? new Help(line.usage(), spec, false)
            : line.isForVersion() ? new Version() : reading.of(line);
    return new Invocation(command, line.verbosity());
  }
}
