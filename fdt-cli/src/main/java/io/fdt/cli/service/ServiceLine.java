package io.fdt.cli.service;

import io.fdt.cli.option.parse.ParsedLine;
import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.output.Screen;
import io.fdt.cli.run.Command;
import io.fdt.cli.run.Invocation;
import io.fdt.core.error.FdtException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;

/** The common parts of the service's command lines. Pure. */
final class ServiceLine {
  private ServiceLine() {}

  /** Reads the line of an action. */
  @FunctionalInterface
  interface Word {
    Command read(ParsedLine line, List<String> operands) throws UsageException;
  }

  /** Reads a line whose first operand is an action. */
  static Invocation parse(CommandSpec spec, List<String> arguments, Map<String, Word> words)
      throws UsageException {
    return Invocation.of(
        spec,
        arguments,
        line -> {
          List<String> operands = line.operands();
          Word word = operands.isEmpty() ? null : words.get(operands.get(0));
          if (word == null) {
            String known = String.join(", ", new TreeMap<>(words).keySet());
            throw new UsageException(
                operands.isEmpty()
                    ? "write one of " + known + " first"
                    : "'" + operands.get(0) + "' is none of " + known);
          }
          return new ServiceRun(
              word.read(line, operands.subList(1, operands.size())),
              ServiceOutput.of(line).isJson());
        });
  }

  /** The only operand. */
  static String one(List<String> operands, String what) throws UsageException {
    if (operands.size() != 1) {
      throw new UsageException("exactly one " + what + " is needed");
    }
    return operands.get(0);
  }

  static void none(List<String> operands) throws UsageException {
    if (!operands.isEmpty()) {
      throw new UsageException("unexpected argument '" + operands.get(0) + "'");
    }
  }

  /** Refuses options that belong to other actions. */
  static void only(ParsedLine line, String word, List<String> all, String... own)
      throws UsageException {
    List<String> allowed = Stream.of(own).map(line::typed).toList(); // -limit is --limit
    for (String option : all) {
      if (line.has(option) && !allowed.contains(line.typed(option))) {
        throw new UsageException(line.typed(option) + " cannot be combined with " + word);
      }
    }
  }

  /** Sends a request, and shows the answer in the requested form. */
  static Command asking(
      ParsedLine line,
      String method,
      String path,
      Map<String, Object> body,
      ServiceOutput.View view)
      throws UsageException {
    ServiceOutput output = ServiceOutput.of(line);
    return context -> {
      RestClient.Answer answer = RestClient.open(context).ask(method, path, body);
      output.show(answer, view, context.screen());
      return 0;
    };
  }

  /** An action without options that changes an object, and shows it. */
  static Command change(
      ParsedLine line, String word, List<String> options, String path, ServiceOutput.View view)
      throws UsageException {
    only(line, word, options);
    return asking(line, "POST", path + "/" + word, null, view);
  }

  /** Requests a list page by page, until it has enough elements. */
  static void pages(
      RestClient client,
      String path,
      int most,
      ServiceOutput output,
      ServiceOutput.View view,
      Screen screen)
      throws FdtException, InterruptedException {
    String separator = path.contains("?") ? "&" : "?";
    int left = most;
    String cursor = "";
    while (left > 0) {
      int size = Math.min(left, 1000);
      RestClient.Answer answer =
          client.get(
              path + separator + "limit=" + size + (cursor.isEmpty() ? "" : "&cursor=" + cursor));
      output.show(answer, view, screen);
      left -= size;
      if (!(answer.json().get("next_cursor") instanceof String next)) {
        return;
      }
      cursor = next;
    }
    screen.note(
        most == 1
            ? "only the first one is listed; for more: --most N"
            : "only the first %d are listed; for more: --most N".formatted(most));
  }

  /** A path on an endpoint, written ENDPOINT:PATH. */
  record Place(String endpoint, String path) {
    static Place parse(String text) throws UsageException {
      int colon = text.indexOf(':');
      if (colon < 1) {
        throw new UsageException("'" + text + "' is not of the form ENDPOINT:PATH");
      }
      return new Place(text.substring(0, colon), text.substring(colon + 1));
    }
  }
}
