package io.fdt.cli.command;

import io.fdt.cli.option.ParsedLine;
import io.fdt.cli.option.UsageException;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;

/**
 * A command and how much it shall tell of itself.
 *
 * @param verbosity 0 to 3: warnings, events, details, everything
 */
public record Invocation(Operation command, int verbosity) {
  /** Makes a command of a line whose options are all known. */
  @FunctionalInterface
  public interface Reading {
    public Operation of(ParsedLine line) throws UsageException;
  }

  /** What a command line asks for; help and version come before what is wrong with the rest. */
  public static Invocation of(CommandSpec spec, List<String> arguments, Reading reading)
      throws UsageException {
    ParsedLine line = ParsedLine.parse(spec, arguments);
    Optional<Invocation> information = line.information();
    return information.isPresent()
        ? information.get()
        : new Invocation(reading.of(line), line.verbosity());
  }
}
