package io.fdt.cli.service;

import io.fdt.cli.option.parse.OptionValue;
import io.fdt.cli.option.parse.Options;
import io.fdt.cli.option.parse.ParsedLine;
import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.process.Surroundings;
import io.fdt.cli.run.Command;
import io.fdt.cli.run.Invocation;
import io.fdt.core.error.FdtException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;

/** The command lines of {@code fdt endpoint}. */
public final class EndpointCommand {
  private static final String[] OF_ADD = {
    Endpoints.FINGERPRINT,
    Endpoints.ACCEPT_NEW,
    Endpoints.TOKEN_FILE,
    Endpoints.PATH,
    Endpoints.MOST_TASKS
  };
  private static final String[] OF_MODIFY = {
    Endpoints.FINGERPRINT, Endpoints.TOKEN_FILE, Endpoints.PATH, Endpoints.MOST_TASKS
  };

  /** Origins of tokens in words. */
  private static final Map<String, String> TOKENS =
      Map.of(
          "stored", "stored in the service", "login", "of 'fdt login'", "home", "of your server");

  private EndpointCommand() {}

  /** Reads a command line. */
  public static Invocation parse(List<String> arguments, Surroundings surroundings)
      throws UsageException {
    Map<String, ServiceLine.Word> words = new HashMap<>();
    words.put("add", (line, operands) -> add(line, operands, surroundings));
    words.put("list", EndpointCommand::list);
    words.put("show", EndpointCommand::show);
    words.put("remove", EndpointCommand::remove);
    words.put("check", EndpointCommand::check);
    words.put("modify", (line, operands) -> modify(line, operands, surroundings));
    words.put("import", (line, operands) -> EndpointImport.read(line, operands, surroundings));
    EndpointFiles.add(words, surroundings.clock());
    Bookmarks.add(words);
    return ServiceLine.parse(spec(), arguments, words);
  }

  private static Command add(ParsedLine line, List<String> operands, Surroundings surroundings)
      throws UsageException {
    ServiceLine.only(line, "add", Endpoints.ALL, OF_ADD);
    if (operands.size() != 2) {
      throw new UsageException("write: endpoint add NAME HOST[:PORT]");
    }
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("name", operands.get(0));
    body.put("address", operands.get(1));
    body.putAll(settings(line));
    ServiceOutput output = ServiceOutput.of(line);
    boolean acceptsNew = line.has(Endpoints.ACCEPT_NEW);
    String tokenFile = line.value(Endpoints.TOKEN_FILE).orElse("");
    return context -> {
      String token = Endpoints.token(tokenFile, surroundings);
      if (!token.isEmpty()) {
        body.put("token", token);
      }
      RestClient.Answer answer = Endpoints.add(RestClient.open(context), body, acceptsNew, context);
      output.show(answer, ServiceOutput.row(Endpoints.table(), Endpoints::cells), context.screen());
      return 0;
    };
  }

  /** The settings of an endpoint besides name, address and token. */
  private static Map<String, Object> settings(ParsedLine line) throws UsageException {
    Map<String, Object> settings = new LinkedHashMap<>();
    line.value(Endpoints.FINGERPRINT).ifPresent(print -> settings.put("fingerprint", print));
    line.value(Endpoints.PATH).ifPresent(path -> settings.put("default_path", path));
    if (line.has(Endpoints.MOST_TASKS)) {
      settings.put("max_tasks", (long) OptionValue.count(line, Endpoints.MOST_TASKS, 1, 64, 0));
    }
    return settings;
  }

  private static Command modify(ParsedLine line, List<String> operands, Surroundings surroundings)
      throws UsageException {
    ServiceLine.only(line, "modify", Endpoints.ALL, OF_MODIFY);
    String name = ServiceLine.one(operands, "endpoint");
    Map<String, Object> changes = settings(line);
    String tokenFile = line.value(Endpoints.TOKEN_FILE).orElse("");
    if (changes.isEmpty() && tokenFile.isEmpty()) {
      throw new UsageException("nothing to modify: " + String.join(", ", OF_MODIFY));
    }
    ServiceOutput output = ServiceOutput.of(line);
    return context -> {
      if (!tokenFile.isEmpty()) {
        changes.put("token", Endpoints.token(tokenFile, surroundings));
      }
      RestClient.Answer answer =
          RestClient.open(context).send("PATCH", Endpoints.path(name), changes, "*");
      if (!answer.isGood()) {
        throw answer.refusal();
      }
      output.show(answer, ServiceOutput.row(Endpoints.table(), Endpoints::cells), context.screen());
      return 0;
    };
  }

  private static Command list(ParsedLine line, List<String> operands) throws UsageException {
    ServiceLine.only(line, "list", Endpoints.ALL);
    ServiceLine.none(operands);
    return ServiceLine.asking(
        line,
        "GET",
        "endpoints",
        null,
        ServiceOutput.rows(Endpoints.table(), "endpoints", Endpoints::cells));
  }

  private static Command show(ParsedLine line, List<String> operands) throws UsageException {
    ServiceLine.only(line, "show", Endpoints.ALL);
    return ServiceLine.asking(
        line,
        "GET",
        Endpoints.path(ServiceLine.one(operands, "endpoint")),
        null,
        (endpoint, screen) -> details(endpoint).forEach(screen::line));
  }

  private static List<String> details(Map<String, Object> endpoint) {
    List<String> lines = new ArrayList<>();
    lines.add("Name:      " + ServiceText.text(endpoint, "name"));
    lines.add("Address:   " + ServiceText.text(endpoint, "address"));
    lines.add("Key:       " + ServiceText.text(endpoint, "fingerprint"));
    String from = ServiceText.text(endpoint, "token_from");
    lines.add("Token:     " + TOKENS.getOrDefault(from, from));
    ServiceText.addIfThere(lines, "Path:      ", ServiceText.text(endpoint, "default_path"));
    lines.add("Tasks:     at most %d at once".formatted(ServiceText.number(endpoint, "max_tasks")));
    lines.add("State:     " + Endpoints.state(endpoint));
    ServiceText.addIfThere(lines, "Checked:   ", ServiceText.time(endpoint, "checked"));
    ServiceText.addIfThere(lines, "Problem:   ", ServiceText.text(endpoint, "problem"));
    return lines;
  }

  private static Command remove(ParsedLine line, List<String> operands) throws UsageException {
    ServiceLine.only(line, "remove", Endpoints.ALL);
    String name = ServiceLine.one(operands, "endpoint");
    return context -> {
      RestClient client = RestClient.open(context);
      List<String> timers = timersOf(client, name);
      RestClient.Answer answer = client.send("DELETE", Endpoints.path(name), null, "*");
      if (!answer.isGood()) {
        throw answer.refusal();
      }
      context.screen().line("removed " + name);
      for (String timer : timers) {
        context
            .screen()
            .note(
                "timer '%s' uses it, and submits nothing until there is an endpoint '%s' again; to remove it: fdt timer remove %s"
                    .formatted(timer, name, timer));
      }
      return 0;
    };
  }

  /** The names of the timers whose tasks use an endpoint. */
  private static List<String> timersOf(RestClient client, String endpoint)
      throws FdtException, InterruptedException {
    return ServiceText.list(client.get("timers").json(), "timers").stream()
        .filter(
            timer ->
                timer.get("task") instanceof Map<?, ?> task
                    && (endpoint.equals(task.get("source_endpoint"))
                        || endpoint.equals(task.get("destination_endpoint"))))
        .map(timer -> ServiceText.text(timer, "name"))
        .toList();
  }

  private static Command check(ParsedLine line, List<String> operands) throws UsageException {
    ServiceLine.only(line, "check", Endpoints.ALL);
    return ServiceLine.asking(
        line,
        "POST",
        Endpoints.path(ServiceLine.one(operands, "endpoint")) + "/check",
        null,
        (host, screen) -> {
          screen.line("Software:  " + ServiceText.text(host, "software"));
          for (Map<String, Object> export : ServiceText.list(host, "exports")) {
            screen.line(
                "Export:    %s, %s"
                    .formatted(
                        ServiceText.text(export, "path"),
                        Boolean.TRUE.equals(export.get("writable")) ? "read-write" : "read-only"));
          }
        });
  }

  private static CommandSpec spec() {
    CommandSpec spec =
        Options.command("fdt endpoint", "Manages the endpoints of the transfer service.%n");
    Options.value(
        spec,
        "SHA256:...",
        "add, modify: the key that the server must have.",
        Endpoints.FINGERPRINT);
    Options.flag(
        spec, "add, import: trust the key that the server presents now.", Endpoints.ACCEPT_NEW);
    Options.value(
        spec,
        "FILE",
        "add, modify: file with your token for the server; for add also FDT_TOKEN. The service"
            + " stores it encrypted.",
        Endpoints.TOKEN_FILE);
    Options.value(spec, "PATH", "add, modify: directory of relative paths.", Endpoints.PATH);
    Options.value(
        spec,
        "N",
        "add, modify: most concurrent tasks, 1 to 64 (default 4).",
        Endpoints.MOST_TASKS);
    Options.value(spec, "N", "ls: most names to list.", Endpoints.MOST);
    Options.flag(spec, "ls: list kind, mode, size and time, too.", Endpoints.LONG, "--long");
    Options.flag(
        spec, "rm: remove directories with their contents.", Options.RECURSIVE, "--recursive");
    ServiceOutput.add(spec);
    Options.general(spec);
    Options.words(
        spec,
        List.of(
            "add",
            "import",
            "list",
            "show",
            "modify",
            "remove",
            "check",
            "ls",
            "stat",
            "mkdir",
            "rename",
            "rm",
            "bookmark",
            "bookmarks",
            "unbookmark"));
    spec.usageMessage()
        .customSynopsis(
            "fdt endpoint add NAME HOST[:PORT] [--fingerprint SHA256:...]",
            "                        [--accept-new] [--token-file FILE]",
            "       fdt endpoint import [FILE] [--accept-new]",
            "       fdt endpoint modify NAME [--token-file FILE] [--fingerprint SHA256:...]",
            "                        [--default-path PATH] [--max-tasks N]",
            "       fdt endpoint list",
            "       fdt endpoint show|check|remove NAME",
            "       fdt endpoint ls [-l] NAME[:PATH]",
            "       fdt endpoint stat|mkdir NAME:PATH",
            "       fdt endpoint rm [-r] NAME:PATH...",
            "       fdt endpoint rename NAME:FROM TO",
            "       fdt endpoint bookmark WORD NAME:PATH",
            "       fdt endpoint bookmarks",
            "       fdt endpoint unbookmark WORD")
        .footer(
            "",
            "An address may be written fdt://HOST[:PORT][?fingerprint=SHA256:...], too.",
            "The machine of the service is the endpoint 'local'. import adds the servers of",
            "a file such as client.conf in FDT_HOME, which it reads where no file is given;",
            "those that are there already stay as they are.");
    return spec;
  }
}
