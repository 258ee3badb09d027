package io.fdt.cli.command;

import io.fdt.cli.option.access.AccessOptions;
import io.fdt.cli.option.parse.OptionValue;
import io.fdt.cli.option.parse.Options;
import io.fdt.cli.option.parse.ParsedLine;
import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.option.route.Location;
import io.fdt.cli.option.transfer.OutputOptions;
import io.fdt.cli.option.transfer.RequestOptions;
import io.fdt.cli.run.Command;
import io.fdt.cli.run.Invocation;
import io.fdt.cli.run.host.DoctorRun;
import io.fdt.core.spec.TransferOptions;
import io.fdt.core.unit.BitRate;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;

/** The command line of {@code doctor [HOST]}. Pure. */
final class DoctorCommand {
  private static final String RATE = "--rate";
  private static final String ROUND_TRIP = "--rtt";
  private static final String NO_TEST = "--no-test";
  private static final int DEFAULT_SECONDS = 3;

  /** Options that need a server. */
  private static final List<String> OF_PATH =
      List.of(Options.SECONDS, NO_TEST, TransferOptions.STREAMS.name());

  private DoctorCommand() {}

  static Invocation parse(List<String> arguments) throws UsageException {
    return Invocation.of(spec(), arguments, DoctorCommand::command);
  }

  private static Command command(ParsedLine line) throws UsageException {
    if (line.operands().size() > 1) {
      throw new UsageException("one server at the most: doctor [HOST[:PORT]]");
    }
    Optional<BitRate> rate = rate(line);
    Optional<Duration> roundTrip = roundTrip(line);
    boolean json = line.has(OutputOptions.JSON);
    if (line.operands().isEmpty()) {
      line.refuse(OF_PATH, " needs a server: doctor HOST[:PORT]");
      if (rate.isPresent() && roundTrip.isEmpty()) {
        throw new UsageException(
            "--rate needs a path: add --rtt MS, or a server whose round trip is" + " measured");
      }
      return new DoctorRun(rate, roundTrip, json, Optional.empty());
    }
    if (line.has(NO_TEST) && line.has(Options.SECONDS)) {
      throw new UsageException("--no-test and --seconds contradict each other");
    }
    Location.Remote server = Location.server(line.operands().get(0), OptionValue.port(line));
    Optional<Duration> test =
        line.has(NO_TEST)
            ? Optional.empty()
            : Optional.of(Duration.ofSeconds(RequestOptions.seconds(line, DEFAULT_SECONDS)));
    return new DoctorRun(
        rate,
        roundTrip,
        json,
        Optional.of(
            new DoctorRun.Path(
                server.server(),
                test,
                RequestOptions.streams(line),
                AccessOptions.clientAccess(line).withFingerprintOf(server))));
  }

  private static Optional<BitRate> rate(ParsedLine line) throws UsageException {
    Optional<String> text = line.value(RATE);
    return text.isEmpty()
        ? Optional.empty()
        : Optional.of(BitRate.ofBytesPerSecond(OptionValue.rate(RATE, text.get())));
  }

  private static Optional<Duration> roundTrip(ParsedLine line) throws UsageException {
    Optional<String> text = line.value(ROUND_TRIP);
    if (text.isEmpty()) {
      return Optional.empty();
    }
    String number = text.get().replaceFirst(" ?ms$", "");
    if (number.matches("[0-9]{1,5}(\\.[0-9]{1,3})?")) {
      Duration roundTrip = Duration.ofNanos(Math.round(Double.parseDouble(number) * 1e6));
      if (!roundTrip.isZero()) {
        return Optional.of(roundTrip);
      }
    }
    throw new UsageException(
        ROUND_TRIP + ": '" + text.get() + "' is not a time in milliseconds, such as 150 or 0.2");
  }

  private static CommandSpec spec() {
    CommandSpec spec =
        Options.command(
            "fdt doctor",
            "Finds settings that slow transfers down on this host or, with a server, on both"
                + " hosts and the path between them. Tests the path for a few seconds in each"
                + " direction. Reports which settings would help. Changes nothing.%n");
    Options.value(
        spec,
        "RATE",
        "Target rate of the path, such as 10Gbit or 500M (MiB/s; default: the first of 1, 10,"
            + " 100 and 1000 Gbit/s above the measured rate).",
        RATE);
    Options.value(
        spec, "MS", "Round-trip time of the path in milliseconds (default: measured).", ROUND_TRIP);
    Options.flag(spec, "Query the server, but do not test the path.", NO_TEST);
    Options.value(
        spec,
        "N",
        "Duration of the test in each direction in seconds, 1 to 3600 (default 3).",
        Options.SECONDS);
    Options.value(
        spec,
        "N",
        "Parallel TCP connections of the test, 1 to 128 (default 4).",
        TransferOptions.STREAMS.name(),
        "--streams");
    Options.flag(spec, "Print one JSON object per line.", OutputOptions.JSON);
    Options.serverPort(spec);
    AccessOptions.allOfClient(spec);
    Options.operands(spec, "[HOST[:PORT]]", "A server.");
    spec.usageMessage()
        .customSynopsis("fdt doctor [options] [HOST[:PORT]]")
        .footer(
            "",
            "Examples:",
            "  java -jar fdt.jar doctor",
            "  java -jar fdt.jar doctor --rate 10Gbit --rtt 150",
            "  java -jar fdt.jar doctor storage1");
    return spec;
  }
}
