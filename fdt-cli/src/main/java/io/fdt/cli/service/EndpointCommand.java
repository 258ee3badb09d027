package io.fdt.cli.service;

import io.fdt.cli.command.Invocation;
import io.fdt.cli.option.Options;
import io.fdt.cli.option.ParsedLine;
import io.fdt.cli.option.Surroundings;
import io.fdt.cli.option.UsageException;
import io.fdt.cli.run.CommandContext;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.IoReason;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;

/** The command lines of {@code fdt endpoint}. */
public final class EndpointCommand {
  private static final String FINGERPRINT = "--fingerprint";
  private static final String ACCEPT_NEW = "--accept-new";
  private static final String TOKEN_FILE = "--token-file";
  private static final String PATH = "--default-path";
  private static final String MOST_TASKS = "--max-tasks";
  private static final String MOST = "--most";
  private static final String VARIABLE = "FDT_TOKEN";

  private static final String[] OF_ADD = {FINGERPRINT, ACCEPT_NEW, TOKEN_FILE, PATH, MOST_TASKS};
  private static final List<String> ALL =
      List.of(FINGERPRINT, ACCEPT_NEW, TOKEN_FILE, PATH, MOST_TASKS, MOST);

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
    words.put("ls", EndpointCommand::ls);
    words.put("mkdir", EndpointCommand::mkdir);
    words.put("rename", EndpointCommand::rename);
    words.put("bookmark", EndpointCommand::bookmark);
    words.put("bookmarks", EndpointCommand::bookmarks);
    words.put("unbookmark", EndpointCommand::unbookmark);
    return ServiceLine.parse(spec(), arguments, words);
  }

  private static String path(String name) {
    return "endpoints/" + RestClient.part(name);
  }

  private static ServiceRequest add(
      ParsedLine line, List<String> operands, Surroundings surroundings) throws UsageException {
    ServiceLine.only(line, "add", ALL, OF_ADD);
    if (operands.size() != 2) {
      throw new UsageException("write: endpoint add NAME HOST[:PORT]");
    }
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("name", operands.get(0));
    body.put("address", operands.get(1));
    line.value(FINGERPRINT).ifPresent(print -> body.put("fingerprint", print));
    line.value(PATH).ifPresent(path -> body.put("default_path", path));
    if (line.has(MOST_TASKS)) {
      body.put("max_tasks", (long) ServiceLine.count(line, MOST_TASKS, 1, 64, 0));
    }
    ServiceOutput output = ServiceOutput.of(line);
    boolean acceptsNew = line.has(ACCEPT_NEW);
    String tokenFile = line.value(TOKEN_FILE).orElse("");
    return context -> {
      String token = token(tokenFile, surroundings);
      if (!token.isEmpty()) {
        body.put("token", token);
      }
      return add(body, acceptsNew, output, context);
    };
  }

  private static int add(
      Map<String, Object> body, boolean acceptsNew, ServiceOutput output, CommandContext context)
      throws FdtException, InterruptedException {
    RestClient client = RestClient.open(context);
    RestClient.Answer answer = client.send("POST", "endpoints", body, "");
    if (acceptsNew
        && answer.json().get("fingerprint") instanceof String shown
        && !answer.isGood()) {
      context.screen().note("trusting " + ServiceText.shown(shown));
      body.put("fingerprint", shown);
      answer = client.send("POST", "endpoints", body, "");
    }
    if (!answer.isGood()) {
      FdtException refusal = answer.refusal();
      throw answer.json().containsKey("fingerprint")
          ? new FdtException(
              refusal.code(), refusal.getMessage() + ": " + FINGERPRINT + ", or " + ACCEPT_NEW)
          : refusal;
    }
    output.show(answer, (endpoint, shown) -> shown.screen().line(line(endpoint)), context);
    return 0;
  }

  /** The server's token: from a file or the environment, never from the line that all can read. */
  private static String token(String file, Surroundings surroundings) throws FdtException {
    if (file.isEmpty()) {
      return surroundings.environment().getOrDefault(VARIABLE, "").strip();
    }
    try {
      return new String(surroundings.read(file), StandardCharsets.UTF_8).strip();
    } catch (IOException e) {
      throw new FdtException(
          ErrorCode.USAGE, TOKEN_FILE + " " + file + ": cannot be read: " + IoReason.of(e), e);
    }
  }

  private static String line(Map<String, Object> endpoint) {
    return "%-16s  %-28s  %s"
        .formatted(
            ServiceText.text(endpoint, "name"),
            ServiceText.text(endpoint, "address"),
            ServiceText.text(endpoint, "default_path"));
  }

  private static ServiceRequest list(ParsedLine line, List<String> operands) throws UsageException {
    ServiceLine.only(line, "list", ALL);
    ServiceLine.none(operands);
    return ServiceLine.asking(
        line,
        "GET",
        "endpoints",
        null,
        (answer, context) ->
            ServiceText.list(answer, "endpoints")
                .forEach(endpoint -> context.screen().line(line(endpoint))));
  }

  private static ServiceRequest show(ParsedLine line, List<String> operands) throws UsageException {
    ServiceLine.only(line, "show", ALL);
    return ServiceLine.asking(
        line,
        "GET",
        path(ServiceLine.one(operands, "endpoint")),
        null,
        (endpoint, context) ->
            endpoint.forEach(
                (name, value) ->
                    context
                        .screen()
                        .line("%-14s %s".formatted(name + ":", ServiceText.shown("" + value)))));
  }

  private static ServiceRequest remove(ParsedLine line, List<String> operands)
      throws UsageException {
    ServiceLine.only(line, "remove", ALL);
    String name = ServiceLine.one(operands, "endpoint");
    return context -> {
      RestClient.Answer answer = RestClient.open(context).send("DELETE", path(name), null, "*");
      if (!answer.isGood()) {
        throw answer.refusal();
      }
      context.screen().line("removed " + name);
      return 0;
    };
  }

  private static ServiceRequest check(ParsedLine line, List<String> operands)
      throws UsageException {
    ServiceLine.only(line, "check", ALL);
    return ServiceLine.asking(
        line,
        "POST",
        path(ServiceLine.one(operands, "endpoint")) + "/check",
        null,
        (host, context) -> {
          context.screen().line("software: " + ServiceText.text(host, "software"));
          for (Map<String, Object> export : ServiceText.list(host, "exports")) {
            context
                .screen()
                .line(
                    "export:   %s, %s"
                        .formatted(
                            ServiceText.text(export, "path"),
                            Boolean.TRUE.equals(export.get("writable"))
                                ? "read-write"
                                : "read-only"));
          }
        });
  }

  private static ServiceRequest ls(ParsedLine line, List<String> operands) throws UsageException {
    ServiceLine.only(line, "ls", ALL, MOST);
    String text = ServiceLine.one(operands, "ENDPOINT[:PATH]");
    ServiceLine.Place place = ServiceLine.Place.parse(text.indexOf(':') < 0 ? text + ":" : text);
    ServiceOutput output = ServiceOutput.of(line);
    int most = ServiceLine.count(line, MOST, 1, 2_000_000, 2_000_000);
    return context -> {
      ServiceLine.pages(
          RestClient.open(context),
          path(place.endpoint()) + "/files?path=" + RestClient.part(place.path()),
          most,
          output,
          (page, shown) ->
              ServiceText.list(page, "files")
                  .forEach(
                      file ->
                          shown
                              .screen()
                              .line(
                                  ServiceText.text(file, "name")
                                      + (ServiceText.text(file, "kind").equals("directory")
                                          ? "/"
                                          : ""))),
          context);
      return 0;
    };
  }

  private static ServiceRequest mkdir(ParsedLine line, List<String> operands)
      throws UsageException {
    ServiceLine.only(line, "mkdir", ALL);
    ServiceLine.Place place = ServiceLine.Place.parse(ServiceLine.one(operands, "ENDPOINT:PATH"));
    return ServiceLine.asking(
        line,
        "POST",
        path(place.endpoint()) + "/directories",
        Map.of("path", place.path()),
        (answer, context) -> context.screen().line("made " + ServiceText.text(answer, "path")));
  }

  private static ServiceRequest rename(ParsedLine line, List<String> operands)
      throws UsageException {
    ServiceLine.only(line, "rename", ALL);
    if (operands.size() != 2) {
      throw new UsageException("write: endpoint rename ENDPOINT:FROM TO");
    }
    ServiceLine.Place from = ServiceLine.Place.parse(operands.get(0));
    return ServiceLine.asking(
        line,
        "POST",
        path(from.endpoint()) + "/renames",
        Map.of("from", from.path(), "to", operands.get(1)),
        (answer, context) -> context.screen().line("now " + ServiceText.text(answer, "path")));
  }

  private static ServiceRequest bookmark(ParsedLine line, List<String> operands)
      throws UsageException {
    ServiceLine.only(line, "bookmark", ALL);
    if (operands.size() != 2) {
      throw new UsageException("write: endpoint bookmark NAME ENDPOINT:PATH");
    }
    ServiceLine.Place place = ServiceLine.Place.parse(operands.get(1));
    return ServiceLine.asking(
        line,
        "POST",
        "bookmarks",
        Map.of("name", operands.get(0), "endpoint", place.endpoint(), "path", place.path()),
        (bookmark, context) -> context.screen().line(bookmarkLine(bookmark)));
  }

  private static ServiceRequest bookmarks(ParsedLine line, List<String> operands)
      throws UsageException {
    ServiceLine.only(line, "bookmarks", ALL);
    ServiceLine.none(operands);
    return ServiceLine.asking(
        line,
        "GET",
        "bookmarks",
        null,
        (answer, context) ->
            ServiceText.list(answer, "bookmarks")
                .forEach(bookmark -> context.screen().line(bookmarkLine(bookmark))));
  }

  private static String bookmarkLine(Map<String, Object> bookmark) {
    return "%-16s  %s:%s"
        .formatted(
            ServiceText.text(bookmark, "name"),
            ServiceText.text(bookmark, "endpoint"),
            ServiceText.text(bookmark, "path"));
  }

  private static ServiceRequest unbookmark(ParsedLine line, List<String> operands)
      throws UsageException {
    ServiceLine.only(line, "unbookmark", ALL);
    String name = ServiceLine.one(operands, "bookmark");
    return ServiceLine.asking(
        line,
        "DELETE",
        "bookmarks/" + RestClient.part(name),
        null,
        (answer, context) -> context.screen().line("removed " + name));
  }

  private static CommandSpec spec() {
    CommandSpec spec =
        Options.command("fdt endpoint", "Manages the endpoints of the transfer service.%n");
    Options.value(spec, "SHA256:...", "add: the key that the server must have.", FINGERPRINT);
    Options.flag(spec, "add: trust the key that the server presents now.", ACCEPT_NEW);
    Options.value(
        spec,
        "FILE",
        "add: the file with the server's token for you; or FDT_TOKEN. The service stores it"
            + " encrypted.",
        TOKEN_FILE);
    Options.value(spec, "PATH", "add: where relative paths begin.", PATH);
    Options.value(spec, "N", "add: tasks that use it at once, 1 to 64 (default 4).", MOST_TASKS);
    Options.value(spec, "N", "ls: at most so many names.", MOST);
    ServiceOutput.add(spec);
    Options.general(spec);
    Options.operands(
        spec,
        List.of(
            "add",
            "list",
            "show",
            "remove",
            "check",
            "ls",
            "mkdir",
            "rename",
            "bookmark",
            "bookmarks",
            "unbookmark"),
        "WORD ...",
        "What to do.");
    spec.usageMessage()
        .customSynopsis(
            "fdt endpoint add NAME HOST[:PORT] [--fingerprint SHA256:...]",
            "                        [--accept-new] [--token-file FILE]",
            "       fdt endpoint list",
            "       fdt endpoint show|check|remove NAME",
            "       fdt endpoint ls NAME[:PATH]",
            "       fdt endpoint mkdir NAME:PATH",
            "       fdt endpoint rename NAME:FROM TO",
            "       fdt endpoint bookmark WORD NAME:PATH",
            "       fdt endpoint bookmarks",
            "       fdt endpoint unbookmark WORD")
        .footer("", "The machine of the service is the endpoint 'local'.");
    return spec;
  }
}
