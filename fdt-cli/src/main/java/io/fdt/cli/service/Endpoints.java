package io.fdt.cli.service;

import io.fdt.cli.option.parse.Options;
import io.fdt.cli.output.Table;
import io.fdt.cli.process.Surroundings;
import io.fdt.cli.run.CommandContext;
import io.fdt.cli.run.TokenSource;
import io.fdt.core.error.FdtException;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The options and requests that the actions of {@code fdt endpoint} share. */
final class Endpoints {
  static final String FINGERPRINT = "--fingerprint";
  static final String ACCEPT_NEW = "--accept-new";
  static final String TOKEN_FILE = "--token-file";
  static final String PATH = "--default-path";
  static final String MOST_TASKS = "--max-tasks";
  static final String MOST = "--most";
  static final String LONG = "-l";
  private static final String VARIABLE = "FDT_TOKEN";

  /** The options of all actions. */
  static final List<String> ALL =
      List.of(FINGERPRINT, ACCEPT_NEW, TOKEN_FILE, PATH, MOST_TASKS, MOST, LONG, Options.RECURSIVE);

  private Endpoints() {}

  /** The path of an endpoint in the REST interface. */
  static String path(String name) {
    return "endpoints/" + RestClient.part(name);
  }

  /** Adds an endpoint; on request, trusts the key that the server presents. */
  static RestClient.Answer add(
      RestClient client, Map<String, Object> body, boolean acceptsNew, CommandContext context)
      throws FdtException, InterruptedException {
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
    return answer;
  }

  /** The server's token: from a file or the environment, never from the command line. */
  static String token(String file, Surroundings surroundings) throws FdtException {
    if (file.isEmpty()) {
      return surroundings.environment().getOrDefault(VARIABLE, "").strip();
    }
    return TokenSource.textOf(surroundings.workingDirectory().resolve(file), TOKEN_FILE);
  }

  /** A table of endpoints. */
  static Table table() {
    return new Table().left("NAME", "ADDRESS", "STATE", "PATH", "PROBLEM").none("no endpoints");
  }

  /** The row of an endpoint. */
  static List<String> cells(Map<String, Object> endpoint) {
    return Stream.of("name", "address", "state", "default_path", "problem")
        .map(name -> name.equals("state") ? state(endpoint) : ServiceText.text(endpoint, name))
        .toList();
  }

  /** Whether it is usable, and for what. */
  static String state(Map<String, Object> endpoint) {
    return ServiceText.text(endpoint, "state")
        + (Boolean.TRUE.equals(endpoint.get("read_only")) ? ", read-only" : "");
  }
}
