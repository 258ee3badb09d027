package io.fdt.cli.service;

import io.fdt.cli.option.parse.OptionValue;
import io.fdt.cli.option.parse.Options;
import io.fdt.cli.option.parse.ParsedLine;
import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.output.Table;
import io.fdt.cli.run.Command;
import io.fdt.cli.run.Invocation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;

/** The command lines of {@code fdt service}. Pure. */
public final class ServiceCommand {
  private static final String HOME = "--home";
  private static final String DATABASE = "--database";
  private static final String DIAL_TO = "--dial-to";
  private static final String NAME = "--name";
  private static final String MOST = "--most";
  private static final String LEASE = "--lease";
  private static final String LISTEN = "--listen";
  private static final String KEEP = "--keep-tasks";
  private static final String PROXY = "--proxy";
  private static final String REQUESTS = "--requests-per-second";

  /** Options that the service reads itself. */
  private static final List<String> PASSED_ON = passedOn();

  private ServiceCommand() {}

  private static List<String> passedOn() {
    List<String> all =
        new ArrayList<>(
            List.of(HOME, DATABASE, DIAL_TO, NAME, LEASE, REQUESTS, LISTEN, PROXY, KEEP));
    all.addAll(SignInOptions.ALL);
    all.addAll(MailOptions.ALL);
    return List.copyOf(all);
  }

  /** Reads a command line. */
  public static Invocation parse(List<String> arguments) throws UsageException {
    return Invocation.of(spec(), arguments, ServiceCommand::command);
  }

  private static Command command(ParsedLine line) throws UsageException {
    List<String> operands = line.operands();
    if (operands.equals(List.of("link"))) {
      return new ServiceRun(
          context -> {
            RestClient client = RestClient.open(context);
            RestClient.Answer answer = client.ask("POST", "links", null);
            context.screen().line(client.page() + ServiceText.text(answer.json(), "path"));
            return 0;
          },
          false);
    }
    Optional<Command> admin = admin(line, operands);
    if (admin.isPresent()) {
      return new ServiceRun(admin.get(), ServiceOutput.of(line).isJson());
    }
    if (!operands.isEmpty()) {
      throw new UsageException(
          "'%s' is none of audit, link, role, users; without a word, service starts the service"
              .formatted(operands.get(0)));
    }
    List<String> words = new ArrayList<>();
    if (line.has(Options.PORT)) {
      int port =
          OptionValue.count(
              line.typed(Options.PORT), line.value(Options.PORT).orElseThrow(), 0, 65535);
      words.addAll(List.of("--port", Integer.toString(port)));
    }
    for (String option : PASSED_ON) {
      for (String value : line.values(option)) {
        words.addAll(List.of(option, value));
      }
    }
    return new ServiceProcess(List.copyOf(words));
  }

  /** The requests of administrators to a running service. */
  private static Optional<Command> admin(ParsedLine line, List<String> operands)
      throws UsageException {
    String word = operands.isEmpty() ? "" : operands.get(0);
    if (word.equals("audit") && operands.size() == 1) {
      return Optional.of(audit(line));
    }
    if (word.equals("users") && operands.size() == 1) {
      return Optional.of(
          ServiceLine.asking(
              line,
              "GET",
              "users",
              null,
              ServiceOutput.rows(users(), "users", ServiceCommand::user)));
    }
    if (word.equals("role")) {
      if (operands.size() != 3) {
        throw new UsageException("write: service role USER admin|user|reader");
      }
      return Optional.of(
          ServiceLine.asking(
              line,
              "PUT",
              "users/" + RestClient.part(operands.get(1)),
              Map.of("role", operands.get(2)),
              ServiceOutput.row(users(), ServiceCommand::user)));
    }
    return Optional.empty();
  }

  private static Table users() {
    return new Table().left("USER", "ROLE", "NOTE");
  }

  private static List<String> user(Map<String, Object> user) {
    return List.of(
        ServiceText.text(user, "user"),
        ServiceText.text(user, "role"),
        Boolean.TRUE.equals(user.get("operator")) ? "has started the service" : "");
  }

  private static Command audit(ParsedLine line) throws UsageException {
    ServiceOutput output = ServiceOutput.of(line);
    int most = OptionValue.count(line, MOST, 1, 1_000_000, 100);
    return context -> {
      ServiceLine.pages(
          RestClient.open(context),
          "audit",
          most,
          output,
          ServiceOutput.rows(
              new Table()
                  .left("TIME", "USER", "ADDRESS")
                  .right("STATUS")
                  .left("CHANGE")
                  .none("no changes were requested"),
              "entries",
              entry ->
                  List.of(
                      ServiceText.time(entry, "time"),
                      ServiceText.text(entry, "user"),
                      ServiceText.text(entry, "address"),
                      Long.toString(ServiceText.number(entry, "status")),
                      ServiceText.text(entry, "change"))),
          context.screen());
      return 0;
    };
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
    Options.value(
        spec, "DAYS", "Keep tasks that have ended, and their events, so long (default 90).", KEEP);
    SignInOptions.add(spec);
    MailOptions.add(spec);
    Options.value(
        spec,
        "ADDRESS",
        "Listen at this address of this machine (default 127.0.0.1), behind a proxy with TLS; or"
            + " FDT_SERVICE_LISTEN.",
        LISTEN);
    Options.values(
        spec,
        "RANGE",
        "A proxy whose X-Forwarded-For says where requests come from (default: none); may be"
            + " repeated.",
        PROXY);
    Options.value(spec, "N", "audit: most entries to list (default 100).", MOST);
    ServiceOutput.add(spec);
    Options.general(spec);
    Options.operands(
        spec,
        List.of("link", "audit", "users", "role"),
        "[WORD ...]",
        "link (print a link that signs a browser in, once), audit (list requested changes),"
            + " users (list users with a role), or role USER ROLE (admin, user or reader).");
    spec.usageMessage()
        .customSynopsis(
            "fdt service [-p PORT] [--home DIR] [--database URL]",
            "       fdt service link|audit|users",
            "       fdt service role USER admin|user|reader")
        .footer(
            "", "It is in a jar of its own, fdt-service.jar beside fdt.jar, or FDT_SERVICE_JAR.");
    return spec;
  }
}
