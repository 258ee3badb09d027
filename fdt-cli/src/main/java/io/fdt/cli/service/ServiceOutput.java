package io.fdt.cli.service;

import io.burt.jmespath.Expression;
import io.burt.jmespath.JmesPathException;
import io.burt.jmespath.jcf.JcfRuntime;
import io.fdt.cli.option.parse.Options;
import io.fdt.cli.option.parse.ParsedLine;
import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.option.transfer.OutputOptions;
import io.fdt.cli.output.Screen;
import io.fdt.cli.output.Table;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.LineText;
import io.fdt.json.Json;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The output of the service's answers: text, JSON, or tab-separated lines; the whole answer, or the
 * result of a JMESPath expression. Immutable.
 */
final class ServiceOutput {
  private static final String FORMAT = "-F";
  private static final String QUERY = "--jmespath";

  /** Shows an answer to a person. */
  @FunctionalInterface
  interface View {
    void show(Map<String, Object> answer, Screen screen);
  }

  private enum Format {
    TEXT,
    JSON,
    UNIX
  }

  /** Bounds the recursion of the parser. */
  private static final int MOST_BRACKETS = 200;

  private final Format format;
  private final Optional<Expression<Object>> query;

  private ServiceOutput(Format format, Optional<Expression<Object>> query) {
    this.format = format;
    this.query = query;
  }

  static void add(CommandSpec spec) {
    Options.choice(
        spec,
        List.of("text", "json", "unix"),
        "FORMAT",
        "text (default), json as the service sends it, or unix: a line for each object, its values"
            + " by name with tabs in between.",
        FORMAT,
        "--format");
    Options.flag(spec, "Print the answer as the service sends it, in JSON.", OutputOptions.JSON);
    Options.value(
        spec,
        "EXPRESSION",
        "Show what this JMESPath expression chooses of each answer, as JSON or with -F unix.",
        QUERY);
  }

  /** Reads the options. */
  static ServiceOutput of(ParsedLine line) throws UsageException {
    boolean isShort = line.has(OutputOptions.JSON);
    if (isShort && line.has(FORMAT) && !line.value(FORMAT).equals(Optional.of("json"))) {
      throw new UsageException(
          FORMAT + " " + line.value(FORMAT).orElse("") + " and --json: choose one of them");
    }
    String text = line.value(FORMAT).orElse(isShort ? "json" : "text").toUpperCase(Locale.ROOT);
    Format format;
    try {
      format = Format.valueOf(text);
    } catch (IllegalArgumentException e) {
      throw new UsageException(
          FORMAT + ": '" + line.value(FORMAT).orElse("") + "' is none of text, json, unix");
    }
    Optional<String> expression = line.value(QUERY);
    if (expression.isEmpty()) {
      return new ServiceOutput(format, Optional.empty());
    }
    if (expression.get().chars().filter(c -> "([{!".indexOf(c) >= 0).count() > MOST_BRACKETS) {
      throw new UsageException(
          QUERY + ": more than %d brackets; choose less of the answer".formatted(MOST_BRACKETS));
    }
    try {
      return new ServiceOutput(
          format == Format.UNIX ? Format.UNIX : Format.JSON,
          Optional.of(new JcfRuntime().compile(expression.get())));
    } catch (JmesPathException e) {
      throw new UsageException(
          QUERY + ": '" + expression.get() + "' is no JMESPath; see jmespath.org, and quote it");
    }
  }

  /** Shows the objects of a list as rows of a table, page after page. */
  static View rows(Table table, String list, Function<Map<String, Object>, List<String>> cells) {
    return (answer, screen) -> {
      ServiceText.list(answer, list).forEach(object -> table.add(cells.apply(object)));
      table.show(screen);
    };
  }

  /** Shows one object as a row of a table. */
  static View row(Table table, Function<Map<String, Object>, List<String>> cells) {
    return (object, screen) -> table.add(cells.apply(object)).show(screen);
  }

  /** Whether errors are JSON, too. */
  boolean isJson() {
    return format == Format.JSON;
  }

  /** Whether a person reads it. */
  boolean isText() {
    return format == Format.TEXT;
  }

  /** Shows an answer; text uses the view. */
  void show(RestClient.Answer answer, View view, Screen screen) throws FdtException {
    if (isText()) {
      view.show(answer.json(), screen);
      return;
    }
    if (query.isEmpty() && isJson()) {
      screen.values(LineText.clean(answer.text()));
      return;
    }
    Object chosen = answer.json();
    if (query.isPresent()) {
      try {
        chosen = query.get().search(answer.json());
      } catch (JmesPathException e) {
        throw new FdtException(
            ErrorCode.USAGE,
            QUERY + " cannot be used on this answer: look at all of it with -F json",
            e);
      }
    }
    if (isJson()) {
      screen.values(LineText.clean(Json.text(chosen)));
    } else {
      UnixLines.of(chosen).forEach(screen::values);
    }
  }
}
