package io.fdt.cli.command;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The man page fdt(1), made from the help. Pure. */
final class ManPage {
  private final Map<String, CommandSpec> subcommands;
  private final CommandSpec flags;
  private final StringBuilder page = new StringBuilder();

  /**
   * @param commands all command lines by the name of their subcommand; that without one has ""
   */
  ManPage(Map<String, CommandSpec> commands) {
    this.subcommands = new TreeMap<>(commands);
    this.flags = subcommands.remove("");
  }

  /** The page, to be called once. */
  String text() {
    page.append(".\\\" Printed by: fdt completion man\n.TH FDT 1\n");
    heading("SH", "NAME");
    line("fdt - moves datasets between machines over parallel TCP streams");
    heading("SH", "SYNOPSIS");
    verbatim(List.of(flags.usageMessage().customSynopsis()));
    heading("SH", "FDT'S FLAGS");
    options(flags);
    heading("SH", "SUBCOMMANDS");
    subcommands.forEach(this::subcommand);
    heading("SH", "OVERVIEW");
    verbatim(List.of(flags.usageMessage().footer()));
    return page.toString();
  }

  private void subcommand(String name, CommandSpec spec) {
    heading("SS", name);
    line(ShellCompletion.description(spec.usageMessage().description()));
    page.append(".PP\n");
    verbatim(List.of(spec.usageMessage().customSynopsis()));
    options(spec);
    page.append(".PP\n");
    verbatim(List.of(spec.usageMessage().footer()));
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

  /** Lines as they are. */
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
