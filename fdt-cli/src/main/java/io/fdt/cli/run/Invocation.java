package io.fdt.cli.run;

import io.fdt.cli.option.parse.OptionValue;
import io.fdt.cli.option.parse.ParsedLine;
import io.fdt.cli.option.parse.UsageException;
import io.fdt.core.model.Affinity;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;

/**
 * A command, its verbosity, and the processors that it may use.
 *
 * @param verbosity 0 to 3: warnings, events, details, everything
 */
public record Invocation(Command command, int verbosity, Affinity affinity) {
  /** Uses processors as the machine suggests. */
  public Invocation(Command command, int verbosity) {
    this(command, verbosity, Affinity.AUTO);
  }

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
    return new Invocation(command, line.verbosity(), OptionValue.affinity(line));
  }
}
