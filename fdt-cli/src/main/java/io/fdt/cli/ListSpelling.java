package io.fdt.cli;

import java.util.List;
import picocli.CommandLine.Model.CommandSpec;

/** The command line of {@code ls [-l] REMOTE}. Pure. */
final class ListSpelling {
  private static final String LONG = "-l";

  private ListSpelling() {}

  static Invocation parse(List<String> arguments) throws UsageException {
    return Invocation.of(spec(), arguments, ListSpelling::command);
  }

  private static Command command(ParsedLine line) throws UsageException {
    if (line.operands().size() != 1) {
      throw new UsageException("exactly one path on a server is needed: ls host:/path");
    }
    String operand = line.operands().get(0);
    Location location = Location.parse(operand, RequestOptions.port(line));
    if (!(location instanceof Location.Remote remote)) {
      throw new UsageException(
          "'" + operand + "' is on this machine; write host:/path or fdt://host/path");
    }
    return new Command.Listing(
        remote.server(),
        remote.path(),
        line.has(LONG),
        AccessOptions.clientAccess(line).withFingerprintOf(remote));
  }

  private static CommandSpec spec() {
    CommandSpec spec =
        Options.command("fdt ls", "Shows what a directory of a server holds, sorted by name.%n");
    Options.flag(
        spec, "With mode, size, time of modification and target of links.", LONG, "--long");
    Options.port(spec, "Port of a server that is given without one (default 54321).");
    AccessOptions.client(spec);
    AccessOptions.certificates(spec);
    Options.general(spec);
    Options.operands(spec, "REMOTE", "fdt://host[:port]/path or host:/path.");
    spec.usageMessage()
        .customSynopsis("fdt ls [-l] REMOTE")
        .footer("", "Example:", "  java -jar fdt.jar ls -l storage1:/data");
    return spec;
  }
}
