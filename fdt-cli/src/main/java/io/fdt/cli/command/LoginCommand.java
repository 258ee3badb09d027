package io.fdt.cli.command;

import io.fdt.cli.option.access.AccessOptions;
import io.fdt.cli.option.parse.OptionValue;
import io.fdt.cli.option.parse.Options;
import io.fdt.cli.option.parse.ParsedLine;
import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.option.route.Location;
import io.fdt.cli.option.route.ServersFile;
import io.fdt.cli.option.transfer.OutputOptions;
import io.fdt.cli.process.Surroundings;
import io.fdt.cli.run.Invocation;
import io.fdt.cli.run.host.LoginRun;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;

/** The command lines of login, logout and servers. Pure but for the names of servers. */
final class LoginCommand {
  private static final String SECRET_SERVICE = "--secret-service";

  private LoginCommand() {}

  static Invocation login(List<String> arguments) throws UsageException {
    CommandSpec spec =
        Options.command(
            "fdt login",
            "Remembers a server's key and your token for it, so that no later command needs"
                + " them.%n");
    Options.serverPort(spec);
    AccessOptions.client(spec);
    AccessOptions.certificates(spec);
    Options.flag(
        spec,
        "Keep the token in the desktop's secret service (GNOME Keyring, KWallet) rather than in a"
            + " file. Needs secret-tool. Sessions without a desktop, such as cron, do not find it"
            + " there.",
        SECRET_SERVICE);
    OutputOptions.json(spec);
    Options.general(spec);
    Options.operands(spec, "HOST", "HOST[:PORT], or a name of client.conf.");
    spec.usageMessage()
        .customSynopsis("fdt login [options] HOST")
        .footer(
            "",
            "The token comes from --token-file, FDT_TOKEN, the terminal or standard input.",
            "The server has to accept it. Key and token are kept in the files known_hosts and",
            "logins of FDT_HOME, which only you can read. The token goes to a server with",
            "this key only.",
            "",
            "Examples:",
            "  java -jar fdt.jar login storage1",
            "  java -jar fdt.jar login --accept-new storage1:5000 < storage1.token");
    return Invocation.of(
        spec,
        arguments,
        line -> {
          Location.Remote server = server(line, "login");
          return new LoginRun.Login(
              server.server(),
              line.has(SECRET_SERVICE),
              line.has(OutputOptions.JSON),
              AccessOptions.clientAccess(line).withFingerprintOf(server));
        });
  }

  static Invocation logout(List<String> arguments) throws UsageException {
    CommandSpec spec =
        Options.command("fdt logout", "Forgets a server's key and your token for it.%n");
    Options.serverPort(spec);
    OutputOptions.json(spec);
    Options.general(spec);
    Options.operands(spec, "HOST", "HOST[:PORT], or a name of client.conf.");
    spec.usageMessage()
        .customSynopsis("fdt logout [--port PORT] HOST")
        .footer("", "Example:", "  java -jar fdt.jar logout storage1");
    return Invocation.of(
        spec,
        arguments,
        line -> new LoginRun.Logout(server(line, "logout").server(), line.has(OutputOptions.JSON)));
  }

  static Invocation servers(List<String> arguments, Surroundings surroundings)
      throws UsageException {
    CommandSpec spec =
        Options.command(
            "fdt servers",
            "Lists the servers that you know: their names, keys, and whether you are logged in.%n");
    Options.flag(spec, "Print one JSON object per line.", OutputOptions.JSON);
    Options.general(spec);
    Options.unexpectedOperands(spec);
    spec.usageMessage()
        .customSynopsis("fdt servers [--json]")
        .footer(
            "",
            "Names are in the file client.conf of FDT_HOME, and work wherever a host does:",
            "",
            "  [server storage1]",
            "  address = dtn01.example.org",
            "  port = 5000",
            "  streams = 8",
            "",
            "Any long option of copy can stand there.",
            "",
            "Example:",
            "  java -jar fdt.jar servers --json");
    return Invocation.of(
        spec,
        arguments,
        line -> {
          if (!line.operands().isEmpty()) {
            throw new UsageException("'" + line.operands().get(0) + "': servers takes no operands");
          }
          return new LoginRun.Servers(
              ServersFile.read(surroundings).values(), line.has(OutputOptions.JSON));
        });
  }

  private static Location.Remote server(ParsedLine line, String subcommand) throws UsageException {
    if (line.operands().size() != 1) {
      throw new UsageException("exactly one server is needed: " + subcommand + " HOST[:PORT]");
    }
    return Location.server(line.operands().get(0), OptionValue.port(line));
  }
}
