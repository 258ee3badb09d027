package io.fdt.cli.command;

import io.fdt.cli.option.parse.Options;
import io.fdt.cli.option.parse.ParsedLine;
import io.fdt.cli.option.parse.Suggestion;
import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.option.transfer.OutputOptions;
import io.fdt.cli.run.Command;
import io.fdt.cli.run.ExplainRun;
import io.fdt.cli.run.Invocation;
import io.fdt.core.error.ErrorCode;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;

/** The command line of {@code explain STATUS|CODE}. Pure. */
final class ExplainCommand {
  /** The texts of docs/OPTIONS.md. */
  private static final Map<Integer, String> STATUSES =
      new TreeMap<>(
          Map.of(
              0, "done: everything is at the destination",
              1, "ended, but some files were not transferred; each is named",
              2, "usage error",
              3,
                  "the server cannot be reached, went away, has too many clients, or is no FDT"
                      + " server of this version",
              4, "refused: the token, the server's key or the export does not allow it",
              5, "verification failed",
              6, "storage full",
              130, "interrupted"));

  private ExplainCommand() {}

  static Invocation parse(List<String> arguments) throws UsageException {
    CommandSpec spec = spec();
    return Invocation.of(spec, arguments, ExplainCommand::explain);
  }

  private static Command explain(ParsedLine line) throws UsageException {
    String text = text(line);
    String word = line.operands().get(0);
    List<ExplainRun.Meaning> codes =
        Stream.of(ErrorCode.values())
            .filter(
                code ->
                    code.name().equals(nameOf(word))
                        || Integer.toString(code.exitStatus()).equals(word))
            .map(
                code ->
                    new ExplainRun.Meaning(
                        code, ErrorGuide.of(code).happened(), ErrorGuide.of(code).remedy()))
            .toList();
    return new ExplainRun(text, codes, line.has(OutputOptions.JSON));
  }

  private static String nameOf(String word) {
    return word.toUpperCase(Locale.ROOT).replace('-', '_');
  }

  private static String text(ParsedLine line) throws UsageException {
    if (line.operands().size() != 1) {
      throw new UsageException(
          "exactly one exit status or code is needed: explain 4, explain NOT_FOUND");
    }
    String word = line.operands().get(0);
    return word.matches("[0-9]{1,9}") ? ofStatus(Integer.parseInt(word)) : ofCode(word);
  }

  private static String ofStatus(int status) throws UsageException {
    String meaning = STATUSES.get(status);
    if (meaning == null) {
      String numbers = String.join(", ", STATUSES.keySet().stream().map(String::valueOf).toList());
      throw new UsageException(
          status
              + " is no exit status of fdt: it ends with "
              + numbers
              + (status > 128 && status < 160
                  ? "; a shell shows " + status + " for the end by signal " + (status - 128)
                  : ""));
    }
    StringBuilder text = new StringBuilder("Exit status " + status + ": " + meaning + ".\n");
    Stream.of(ErrorCode.values())
        .filter(code -> code.exitStatus() == status)
        .sorted(Comparator.comparing(ErrorCode.INTERNAL::equals)) // a defect is the last guess
        .forEach(code -> text.append('\n').append(paragraph(code)));
    return text.toString();
  }

  private static String ofCode(String word) throws UsageException {
    String name = nameOf(word);
    List<String> names = Stream.of(ErrorCode.values()).map(ErrorCode::name).toList();
    if (!names.contains(name)) {
      throw new UsageException(
          "'"
              + word
              + "' is no code"
              + Suggestion.nearest(name, names)
                  .map(meant -> "; did you mean " + meant + "?")
                  .orElse("; the codes are " + String.join(", ", names)));
    }
    ErrorCode code = ErrorCode.valueOf(name);
    return paragraph(code)
        + filled(
            "Exit status "
                + code.exitStatus()
                + "; a later attempt "
                + (code.retry() == ErrorCode.Retry.LATER
                    ? "can succeed with the same command."
                    : "fails in the same way until something is changed."));
  }

  private static String paragraph(ErrorCode code) {
    ErrorGuide guide = ErrorGuide.of(code);
    return code.name() + "\n" + filled(guide.happened()) + filled("To do: " + guide.remedy());
  }

  /** Lines of at most 80 characters, two blanks in front. */
  private static String filled(String text) {
    StringBuilder filled = new StringBuilder();
    StringBuilder line = new StringBuilder(" ");
    for (String word : text.split(" ")) {
      if (line.length() + 1 + word.length() > 80) {
        filled.append(line).append('\n');
        line = new StringBuilder(" ");
      }
      line.append(' ').append(word);
    }
    return filled.append(line).append('\n').toString();
  }

  private static CommandSpec spec() {
    CommandSpec spec =
        Options.command("fdt explain", "Says what an exit status or the code of an error means.%n");
    OutputOptions.json(spec);
    Options.general(spec);
    Options.operands(
        spec,
        Stream.of(ErrorCode.values()).map(ErrorCode::name).toList(),
        "STATUS|CODE",
        "An exit status, or a code as --json and reports show it.");
    spec.usageMessage()
        .customSynopsis("fdt explain STATUS|CODE")
        .footer("", "Examples:", "  fdt explain 3", "  fdt explain SOURCE_CHANGED");
    return spec;
  }
}
