package io.fdt.cli.command;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The reference of all commands as Markdown, made from the help. Pure. */
final class MarkdownPage {
  private final Map<String, CommandSpec> subcommands;
  private final CommandSpec flags;
  private final StringBuilder page = new StringBuilder();

  /**
   * @param commands all command lines by the name of their subcommand; the line without a
   *     subcommand has ""
   */
  MarkdownPage(Map<String, CommandSpec> commands) {
    this.subcommands = new TreeMap<>(commands);
    this.flags = subcommands.remove("");
  }

  /** The page, to be called once. */
  String text() {
    page.append("<!-- Printed by: fdt completion markdown -->\n\n# Commands\n\n");
    verbatim(FdtHelp.OVERVIEW);
    verbatim(flags.usageMessage().customSynopsis());
    subcommands.forEach(this::command);
    command("The flags of the original FDT", flags);
    return page.toString();
  }

  private void command(String title, CommandSpec spec) {
    page.append("## ").append(title).append("\n\n");
    if (spec != flags) {
      page.append(text(ShellCompletion.description(spec.usageMessage().description())))
          .append("\n\n");
      verbatim(spec.usageMessage().customSynopsis());
    }
    List<OptionSpec> options = ShellCompletion.options(spec);
    if (!options.isEmpty()) {
      page.append("| option | what it does |\n|---|---|\n");
      options.forEach(this::option);
      page.append('\n');
    }
    if (spec != flags) {
      verbatim(spec.usageMessage().footer());
    }
  }

  private void option(OptionSpec option) {
    String value = ShellCompletion.takesValue(option) ? " " + option.paramLabel() : "";
    String names =
        Stream.of(option.names())
            .map(name -> "`" + (name + value).replace("|", "\\|") + "`")
            .collect(Collectors.joining(", "));
    String description = text(ShellCompletion.description(option.description()));
    page.append("| %s | %s |\n".formatted(names, description.replace("|", "\\|")));
  }

  /** Appends lines unchanged, if there are any. */
  private void verbatim(String... lines) {
    String text =
        Stream.of(lines)
            .map(line -> line.replace("%n", "").replace("%%", "%"))
            .collect(Collectors.joining("\n"))
            .strip();
    if (!text.isEmpty()) {
      page.append("```\n").append(text).append("\n```\n\n");
    }
  }

  private static String text(String text) {
    return text.replace("\\", "\\\\")
        .replace("*", "\\*")
        .replace("_", "\\_")
        .replace("<", "&lt;")
        .replace("`", "\\`");
  }
}
