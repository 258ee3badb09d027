package io.fdt.cli.command;

import io.fdt.cli.option.access.AccessOptions;
import io.fdt.cli.option.access.ClientAccess;
import io.fdt.cli.option.parse.OptionValue;
import io.fdt.cli.option.parse.Options;
import io.fdt.cli.option.parse.ParsedLine;
import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.option.route.Location;
import io.fdt.cli.option.route.TransportOption;
import io.fdt.cli.option.transfer.OutputOptions;
import io.fdt.cli.option.transfer.RequestOptions;
import io.fdt.cli.run.Command;
import io.fdt.cli.run.Invocation;
import io.fdt.cli.run.host.NettestRun;
import io.fdt.core.spec.TransferOptions;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;

/** The command line of {@code nettest HOST}. Pure. */
final class NettestCommand {
  private static final String PULL = "--pull";

  private NettestCommand() {}

  static Invocation parse(List<String> arguments) throws UsageException {
    return Invocation.of(spec(), arguments, NettestCommand::command);
  }

  private static Command command(ParsedLine line) throws UsageException {
    if (line.operands().size() != 1) {
      throw new UsageException("exactly one server is needed: nettest HOST[:PORT]");
    }
    Location.Remote server = Location.server(line.operands().get(0), OptionValue.port(line));
    ClientAccess access = AccessOptions.clientAccess(line).withFingerprintOf(server);
    return new NettestRun(
        server.server(),
        RequestOptions.nettest(line, line.has(PULL)),
        line.has(OutputOptions.JSON),
        line.has(TransportOption.NAME) ? access : access.withTransport(TransportOption.TCP_ONLY));
  }

  private static CommandSpec spec() {
    CommandSpec spec =
        Options.command(
            "fdt nettest",
            "Measures the network between this machine and a server, memory to memory.%n");
    Options.flag(
        spec, "Measure from the server to this machine (default: to the server).", PULL, "-pull");
    OutputOptions.json(spec);
    Options.seconds(spec);
    Options.serverPort(spec);
    Options.transfer(spec, TransferOptions.NETWORK);
    AccessOptions.client(spec);
    TransportOption.add(spec);
    AccessOptions.certificates(spec);
    Options.general(spec);
    Options.operands(spec, "HOST[:PORT]", "The server.");
    spec.usageMessage()
        .customSynopsis("fdt nettest [options] HOST[:PORT]")
        .footer("", "Example:", "  java -jar fdt.jar nettest storage1 -P 7 --seconds 30");
    return spec;
  }
}
