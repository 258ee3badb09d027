package io.fdt.cli.command;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Makes the man pages of fdt(1) and each subcommand from the help. Pure. */
final class ManPage {
  private final Map<String, CommandSpec> subcommands;
  private final CommandSpec flags;
  private final StringBuilder page = new StringBuilder();

  /**
   * @param commands all command lines by the name of their subcommand; the line without a
   *     subcommand has ""
   */
  ManPage(Map<String, CommandSpec> commands) {
    this.subcommands = new TreeMap<>(commands);
    this.flags = subcommands.remove("");
  }

  /** The page fdt(1), to be called once. */
  String text() {
    start("fdt", "copies files and trees between machines over parallel streams");
    synopsis(flags);
    heading("SH", "OVERVIEW");
    verbatim(FdtHelp.OVERVIEW.lines().toList());
    heading("SH", "FDT'S FLAGS");
    options(flags);
    heading("SH", "SEE ALSO");
    subcommands.keySet().forEach(name -> page.append(".BR fdt\\-").append(name).append(" (1)\n"));
    return page.toString();
  }

  /** The page of a subcommand, to be called once. */
  String subcommand(String name) {
    CommandSpec spec = subcommands.get(name);
    start("fdt-" + name, ShellCompletion.description(spec.usageMessage().description()));
    synopsis(spec);
    heading("SH", "OPTIONS");
    options(spec);
    heading("SH", "NOTES");
    verbatim(List.of(spec.usageMessage().footer()));
    heading("SH", "SEE ALSO");
    page.append(".BR fdt (1)\n");
    return page.toString();
  }

  private void start(String name, String purpose) {
    page.append(".\\\" Printed by: fdt completion man\n.TH ")
        .append(name.toUpperCase(Locale.ROOT))
        .append(" 1\n");
    heading("SH", "NAME");
    line(name + " - " + purpose);
    heading("SH", "SYNOPSIS");
  }

  /** Without the indent that aligns lines behind "Usage: ". */
  private void synopsis(CommandSpec spec) {
    verbatim(
        Stream.of(spec.usageMessage().customSynopsis())
            .map(form -> form.replaceAll("(?m)^ {7}", ""))
            .filter(form -> !form.startsWith("(fdt stands for:"))
            .toList());
  }

  private void options(CommandSpec spec) {
    for (OptionSpec option : ShellCompletion.options(spec)) {
      String value = ShellCompletion.takesValue(option) ? " " + option.paramLabel() : "";
      page.append(".TP\n");
      line(String.join(", ", option.names()) + value);
      line(ShellCompletion.description(option.description()));
    }
  }

  private void heading(String macro, String text) {
    page.append('.').append(macro).append(" \"").append(escaped(text)).append("\"\n");
  }

  /** Appends lines unchanged. */
  private void verbatim(List<String> lines) {
    page.append(".nf\n");
    for (String text : lines) {
      line(text.replace("%n", "").replace("%%", "%"));
    }
    page.append(".fi\n");
  }

  private void line(String text) {
    page.append(text.startsWith(".") || text.startsWith("'") ? "\\&" : "")
        .append(escaped(text))
        .append('\n');
  }

  private static String escaped(String text) {
    return text.replace("\\", "\\e").replace("-", "\\-");
  }
}
