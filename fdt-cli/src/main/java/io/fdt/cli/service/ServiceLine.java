package io.fdt.cli.service;

import io.fdt.cli.command.Invocation;
import io.fdt.cli.command.Operation;
import io.fdt.cli.option.OptionValue;
import io.fdt.cli.option.Options;
import io.fdt.cli.option.OutputOptions;
import io.fdt.cli.option.ParsedLine;
import io.fdt.cli.option.UsageException;
import io.fdt.cli.run.CommandContext;
import io.fdt.core.error.FdtException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine.Model.CommandSpec;

/** What the command lines of the service have in common. Pure. */
final class ServiceLine {
  static final String FORMAT = "-F";

  private ServiceLine() {}

  /** What one word does with its line. */
  @FunctionalInterface
  interface Word {
    ServiceRequest read(ParsedLine line, List<String> operands) throws UsageException;
  }

  /** Shows an answer to a person. */
  @FunctionalInterface
  interface View {
    void show(Map<String, Object> answer, CommandContext context);
  }

  static void format(CommandSpec spec) {
    Options.choice(
        spec,
        List.of("text", "json"),
        "FORMAT",
        "text (default), or json as the service sends it.",
        FORMAT);
    Options.flag(spec, "The same as -F json.", OutputOptions.JSON);
  }

  static boolean wantsJson(ParsedLine line) throws UsageException {
    if (line.has(OutputOptions.JSON)) {
      if (line.value(FORMAT).filter("text"::equals).isPresent()) {
        throw new UsageException("-F text and --json: choose one of them");
      }
      return true;
    }
    String format = line.value(FORMAT).orElse("text");
    if (!List.of("text", "json").contains(format)) {
      throw new UsageException(FORMAT + ": '" + format + "' is neither text nor json");
    }
    return format.equals("json");
  }

  /** Reads a line whose first operand is a word. */
  static Invocation parse(CommandSpec spec, List<String> arguments, Map<String, Word> words)
      throws UsageException {
    return Invocation.of(
        spec,
        arguments,
        line -> {
          List<String> operands = line.operands();
          Word word = operands.isEmpty() ? null : words.get(operands.get(0));
          if (word == null) {
            throw new UsageException(
                "write one of " + String.join(", ", new TreeMap<>(words).keySet()) + " first");
          }
          return new Operation.Service(
              word.read(line, operands.subList(1, operands.size())), wantsJson(line));
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
      throw new UsageException("'" + operands.get(0) + "' is too much");
    }
  }

  /** Refuses options that belong to other words. */
  static void only(ParsedLine line, String word, List<String> all, String... own)
      throws UsageException {
    for (String option : all) {
      if (line.has(option) && !List.of(own).contains(option)) {
        throw new UsageException(option + " does not go with " + word);
      }
    }
  }

  /** Asks one thing, and shows the answer as it was asked for. */
  static ServiceRequest asking(
      ParsedLine line, String method, String path, Map<String, Object> body, View view)
      throws UsageException {
    boolean json = wantsJson(line);
    return context -> {
      RestClient.Answer answer = RestClient.open(context).ask(method, path, body);
      show(answer, json, view, context);
      return 0;
    };
  }

  static void show(RestClient.Answer answer, boolean json, View view, CommandContext context) {
    if (json) {
      context.screen().line(answer.text());
    } else {
      view.show(answer.json(), context);
    }
  }

  /** A page of a list after the other, until there are enough. */
  static void pages(
      RestClient client, String path, int most, boolean json, View view, CommandContext context)
      throws FdtException, InterruptedException {
    String separator = path.contains("?") ? "&" : "?";
    int left = most;
    String cursor = "";
    while (left > 0) {
      int size = Math.min(left, 1000);
      RestClient.Answer answer =
          client.get(
              path + separator + "limit=" + size + (cursor.isEmpty() ? "" : "&cursor=" + cursor));
      show(answer, json, view, context);
      left -= size;
      if (!(answer.json().get("next_cursor") instanceof String next)) {
        return;
      }
      cursor = next;
    }
  }

  static int count(ParsedLine line, String option, int least, int most, int otherwise)
      throws UsageException {
    return line.has(option)
        ? OptionValue.count(option, line.value(option).orElseThrow(), least, most)
        : otherwise;
  }

  /** ENDPOINT:PATH. */
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
