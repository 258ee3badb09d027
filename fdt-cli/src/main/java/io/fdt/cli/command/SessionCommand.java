package io.fdt.cli.command;

import io.fdt.cli.option.access.AccessOptions;
import io.fdt.cli.option.access.ClientAccess;
import io.fdt.cli.option.access.SessionName;
import io.fdt.cli.option.parse.OptionValue;
import io.fdt.cli.option.parse.Options;
import io.fdt.cli.option.parse.ParsedLine;
import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.option.route.Location;
import io.fdt.cli.option.route.ServerAddress;
import io.fdt.cli.option.transfer.CopyOutput;
import io.fdt.cli.option.transfer.OutputOptions;
import io.fdt.cli.run.Invocation;
import io.fdt.cli.run.copy.AttachRun;
import io.fdt.cli.run.copy.SessionRun;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;

/** The command lines of attach, sessions and cancel. Pure. */
final class SessionCommand {
  private static final String NAME = "ID";
  private static final String NAME_TEXT =
      """
      The id that copy --detach printed, or its first 8 digits.
      From another machine: fdt://HOST[:PORT]/ID\
      """;

  private SessionCommand() {}

  static Invocation attach(List<String> arguments) throws UsageException {
    CommandSpec spec =
        Options.command(
            "fdt attach",
            "Follows a transfer between two servers that was left with copy --detach, and ends"
                + " with its status.%n");
    OutputOptions.following(spec);
    finish(spec, NAME, NAME_TEXT);
    spec.usageMessage()
        .footer(
            "",
            "An interruption (Ctrl-C) ends this command only; fdt cancel ends the transfer.",
            "",
            "Examples:",
            "  java -jar fdt.jar attach 0f9b3c6e",
            "  java -jar fdt.jar attach --token-file a.token fdt://storage1/0f9b3c6e");
    return Invocation.of(
        spec,
        arguments,
        line -> {
          SessionName.Reached one = one(line);
          CopyOutput output = OutputOptions.of(line);
          return new AttachRun(one.name(), output, one.access());
        });
  }

  static Invocation cancel(List<String> arguments) throws UsageException {
    CommandSpec spec =
        Options.command(
            "fdt cancel",
            "Ends a transfer between two servers at both of them. The same copy continues it"
                + " later.%n");
    OutputOptions.json(spec);
    finish(spec, NAME, NAME_TEXT);
    return Invocation.of(
        spec,
        arguments,
        line -> {
          SessionName.Reached one = one(line);
          return new SessionRun.Cancel(one.name(), line.has(OutputOptions.JSON), one.access());
        });
  }

  static Invocation sessions(List<String> arguments) throws UsageException {
    CommandSpec spec =
        Options.command(
            "fdt sessions",
            "Lists your transfers between servers: those that run, and those that have ended in"
                + " the last 24 hours.%n");
    Options.flag(spec, "Print one JSON object per line.", OutputOptions.JSON);
    finish(
        spec, "[SERVER...]", "HOST[:PORT]; without any, the servers of transfers that you left.");
    return Invocation.of(
        spec,
        arguments,
        line -> {
          List<ServerAddress> servers = new ArrayList<>();
          ClientAccess access = AccessOptions.clientAccess(line);
          for (String operand : line.operands()) {
            Location.Remote server = Location.server(operand, OptionValue.port(line));
            servers.add(server.server());
            access = access.withFingerprintOf(server);
          }
          return new SessionRun.Sessions(
              List.copyOf(servers), line.has(OutputOptions.JSON), access);
        });
  }

  private static SessionName.Reached one(ParsedLine line) throws UsageException {
    if (line.operands().size() != 1) {
      throw new UsageException("exactly one session is needed: ID or fdt://HOST[:PORT]/ID");
    }
    return SessionName.parse(
        line.operands().get(0), OptionValue.port(line), AccessOptions.clientAccess(line));
  }

  private static void finish(CommandSpec spec, String operands, String text) {
    Options.serverPort(spec);
    AccessOptions.allOfClient(spec);
    Options.operands(spec, operands, text);
    spec.usageMessage().customSynopsis(spec.name() + " [options] " + operands);
  }
}
