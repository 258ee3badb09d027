package io.fdt.cli.service;

import io.fdt.cli.command.Invocation;
import io.fdt.cli.command.Operation;
import io.fdt.cli.option.OptionValue;
import io.fdt.cli.option.Options;
import io.fdt.cli.option.ParsedLine;
import io.fdt.cli.option.UsageException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;

/** The command lines of {@code fdt service}. Pure. */
public final class ServiceCommand {
  private static final String HOME = "--home";
  private static final String DATABASE = "--database";
  private static final String DIAL_TO = "--dial-to";
  private static final String NAME = "--name";
  private static final String LEASE = "--lease";
  private static final String REQUESTS = "--requests-per-second";

  private ServiceCommand() {}

  /** Reads a command line. */
  public static Invocation parse(List<String> arguments) throws UsageException {
    return Invocation.of(spec(), arguments, ServiceCommand::command);
  }

  private static Operation command(ParsedLine line) throws UsageException {
    List<String> operands = line.operands();
    if (operands.equals(List.of("link"))) {
      return new Operation.Service(
          context -> {
            RestClient client = RestClient.open(context);
            RestClient.Answer answer = client.ask("POST", "links", null);
            context.screen().line(client.page() + ServiceText.text(answer.json(), "path"));
            return 0;
          },
          false);
    }
    ServiceLine.none(operands);
    List<String> words = new ArrayList<>();
    if (line.has(Options.PORT)) {
      int port = OptionValue.count(Options.PORT, line.value(Options.PORT).orElseThrow(), 0, 65535);
      words.addAll(List.of("--port", Integer.toString(port)));
    }
    for (String option : List.of(HOME, DATABASE, DIAL_TO, NAME, LEASE, REQUESTS)) {
      for (String value : line.values(option)) {
        words.addAll(List.of(option, value));
      }
    }
    return new Operation.StartService(List.copyOf(words));
  }

  private static CommandSpec spec() {
    CommandSpec spec =
        Options.command(
            "fdt service",
            "Runs the transfer service: tasks that outlive the terminal, over REST and on a"
                + " page.%n");
    Options.port(spec, "Port of the page on 127.0.0.1 (default 54380; 0: any).");
    Options.value(
        spec,
        "DIR",
        "Directory for its database and its key (default: service in FDT_HOME).",
        HOME);
    Options.value(
        spec,
        "URL",
        "jdbc:postgresql://HOST/DATABASE?user=... in place of a file in its home; or"
            + " FDT_SERVICE_DATABASE.",
        DATABASE);
    Options.values(
        spec,
        "RANGE",
        "Connect to endpoints in this range of addresses only; may be repeated.",
        DIAL_TO);
    Options.values(
        spec, "HOST", "A name under which a proxy offers the page; may be repeated.", NAME);
    Options.value(
        spec,
        "SECONDS",
        "With several processes on one database: take over what one was doing that has been silent"
            + " for so long (default 60).",
        LEASE);
    Options.value(
        spec,
        "N",
        "Requests of one user per second over REST, on average (default 100).",
        REQUESTS);
    Options.general(spec);
    Options.operands(
        spec, List.of("link"), "[link]", "link: print a link that signs a browser in, once.");
    spec.usageMessage()
        .customSynopsis(
            "fdt service [-p PORT] [--home DIR] [--database URL]", "       fdt service link")
        .footer(
            "", "It is in a jar of its own, fdt-service.jar beside fdt.jar, or FDT_SERVICE_JAR.");
    return spec;
  }
}
