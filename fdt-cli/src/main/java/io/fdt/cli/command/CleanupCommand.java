package io.fdt.cli.command;

import io.fdt.cli.option.parse.Options;
import io.fdt.cli.option.parse.ParsedLine;
import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.option.route.Location;
import io.fdt.cli.option.transfer.OutputOptions;
import io.fdt.cli.run.Command;
import io.fdt.cli.run.Invocation;
import io.fdt.cli.run.compare.CleanupRun;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;

/** The command line of {@code cleanup [--dry-run] DIR}. Pure. */
final class CleanupCommand {
  private static final String DRY_RUN = "--dry-run";

  private CleanupCommand() {}

  static Invocation parse(List<String> arguments) throws UsageException {
    return Invocation.of(spec(), arguments, CleanupCommand::command);
  }

  private static Command command(ParsedLine line) throws UsageException {
    if (line.operands().size() != 1) {
      throw new UsageException("exactly one directory of this machine is needed: cleanup DIR");
    }
    String operand = line.operands().get(0);
    if (!(Location.parse(operand, 0) instanceof Location.Local local)) {
      throw new UsageException(
          "'" + operand + "' is on a server; run cleanup there, or write ./" + operand);
    }
    return new CleanupRun(local.path(), line.has(DRY_RUN), line.has(OutputOptions.JSON));
  }

  private static CommandSpec spec() {
    CommandSpec spec =
        Options.command(
            "fdt cleanup",
            "Removes the temporary files that interrupted transfers left beneath a"
                + " directory: .fdt-*.part and .fdt-*.journal. These transfers then start over"
                + " instead of continuing.%n");
    Options.flag(spec, "Show what would be removed; remove nothing.", "-n", DRY_RUN);
    OutputOptions.json(spec);
    Options.general(spec);
    Options.operands(spec, "DIR", "A directory of this machine.");
    spec.usageMessage()
        .customSynopsis("fdt cleanup [--dry-run] DIR")
        .footer(
            "",
            "Keeps the files of running transfers, follows no links, and touches nothing",
            "else.",
            "",
            "Exit status: 0 done, 1 something could not be read or removed, 2 usage error.",
            "",
            "Example:",
            "  java -jar fdt.jar cleanup --dry-run /srv/run42");
    return spec;
  }
}
