package io.fdt.cli.command;

import io.fdt.cli.option.parse.OptionValue;
import io.fdt.cli.option.parse.Options;
import io.fdt.cli.option.parse.ParsedLine;
import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.run.Command;
import io.fdt.cli.run.Invocation;
import io.fdt.cli.run.serve.SshEndRun;
import io.fdt.cli.ssh.SshServerMain;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The command line of {@code ssh-end MARK}, which the script run by SSH uses. It is not in any
 * help. Pure.
 */
final class SshEndCommand {
  static final String NAME = "ssh-end";
  private static final String FITS = "--fits";
  private static final String LOOPBACK = "--loopback";

  private SshEndCommand() {}

  static Invocation parse(List<String> arguments) throws UsageException {
    CommandSpec spec = Options.command("fdt " + NAME, "The other end of a copy by SSH.%n");
    Options.value(spec, "PORT", "Port to listen on.", Options.PORT, "--port");
    Options.value(spec, "VERSION", "The version that is wanted.", FITS);
    Options.flag(spec, "Listen for this host only.", LOOPBACK);
    Options.general(spec);
    Options.operands(spec, "MARK", "What begins each line.");
    return Invocation.of(spec, arguments, SshEndCommand::command);
  }

  private static Command command(ParsedLine line) throws UsageException {
    if (line.operands().size() != 1) {
      throw new UsageException(NAME + " is for FDT itself");
    }
    Optional<String> port = line.value(Options.PORT);
    return new SshEndRun(
        new SshServerMain(
            line.operands().get(0),
            port.isEmpty()
                ? OptionalInt.empty()
                : OptionalInt.of(OptionValue.count(line.typed(Options.PORT), port.get(), 1, 65535)),
            line.has(LOOPBACK)),
        line.value(FITS));
  }
}
