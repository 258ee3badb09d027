package io.fdt.cli.command;

import io.fdt.cli.option.access.AccessOptions;
import io.fdt.cli.option.parse.OptionValue;
import io.fdt.cli.option.parse.Options;
import io.fdt.cli.option.parse.ParsedLine;
import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.option.route.Location;
import io.fdt.cli.option.route.ServerAddress;
import io.fdt.cli.option.route.ServersFile;
import io.fdt.cli.option.route.ViaOptions;
import io.fdt.cli.option.transfer.OutputOptions;
import io.fdt.cli.process.Surroundings;
import io.fdt.cli.run.Invocation;
import io.fdt.cli.run.host.LoginRun;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The command lines of login, logout and servers. Pure, except that it reads the names of servers.
 */
final class LoginCommand {
  private static final String NAME = "--name";
  private static final String SECRET_SERVICE = "--secret-service";

  private LoginCommand() {}

  static Invocation login(List<String> arguments, Surroundings surroundings) throws UsageException {
    CommandSpec spec =
        Options.command(
            "fdt login",
            "Remembers a server's key and your token for it, so that no later command needs"
                + " them.%n");
    Options.value(
        spec,
        "NAME",
        "Name the server: NAME:/path is on it in each later command (default: HOST).",
        NAME);
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
        .customSynopsis("fdt login [--name NAME] [options] HOST[:PORT]")
        .footer(
            "",
            "The token comes from --token-file, FDT_TOKEN, the terminal or standard input.",
            "The server has to accept it. Key and token are kept in the files known_hosts and",
            "logins of FDT_HOME, which only you can read. The token goes to a server with",
            "this key only. Port and name are kept in client.conf, which fdt config opens.",
            "",
            "Examples:",
            "  java -jar fdt.jar login storage1",
            "  java -jar fdt.jar login --name s5 --accept-new storage1:5000 < storage1.token");
    return Invocation.of(
        spec,
        arguments,
        line -> {
          Location.Remote server = server(line, "login");
          return new LoginRun.Login(
              server.server(),
              name(line, server.server(), surroundings),
              reach(line, surroundings),
              line.has(SECRET_SERVICE),
              line.has(OutputOptions.JSON),
              AccessOptions.clientAccess(line).withFingerprintOf(server));
        });
  }

  /** The name that the server gets; no other server may have it. */
  private static Optional<String> name(
      ParsedLine line, ServerAddress server, Surroundings surroundings) throws UsageException {
    Optional<String> name = line.value(NAME);
    if (name.isEmpty()) {
      return name;
    }
    if (!ServersFile.isName(name.get())) {
      throw new UsageException(
          NAME + ": '" + name.get() + "' cannot be a name; use letters, digits and ._-");
    }
    ServersFile.Named other = ServersFile.read(surroundings).get(name.get());
    if (other != null && !other.address().isSameAs(server)) {
      throw new UsageException(
          "%s: '%s' is %s already; choose another name, or write first: fdt logout %s"
              .formatted(NAME, name.get(), other.address(), name.get()));
    }
    return name;
  }

  /** The options of a line without which the server cannot be reached later. */
  private static List<ServersFile.Entry> reach(ParsedLine line, Surroundings surroundings) {
    List<ServersFile.Entry> options = new ArrayList<>();
    for (String option : AccessOptions.OF_REACH) {
      Optional<String> value = line.value(option);
      if (value.isPresent()) {
        String whole =
            option.equals(ViaOptions.VIA)
                ? value.get()
                : surroundings.workingDirectory().resolve(value.get()).toString();
        options.add(new ServersFile.Entry("", option.substring(2), whole));
      }
    }
    return List.copyOf(options);
  }

  static Invocation logout(List<String> arguments) throws UsageException {
    CommandSpec spec =
        Options.command("fdt logout", "Forgets a server's key, your token for it and its name.%n");
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
