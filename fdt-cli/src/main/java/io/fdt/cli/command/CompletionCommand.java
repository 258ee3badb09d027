package io.fdt.cli.command;

import io.fdt.cli.option.parse.Options;
import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.option.transfer.OutputOptions;
import io.fdt.cli.run.Help;
import io.fdt.cli.run.Invocation;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine.Model.CommandSpec;

/** The command line of {@code completion}: scripts for shells, man pages, the reference. Pure. */
final class CompletionCommand {
  private CompletionCommand() {}

  /**
   * Reads the line.
   *
   * @param commands all command lines by the name of their subcommand; the line without a
   *     subcommand has ""
   */
  static Invocation parse(List<String> arguments, Map<String, CommandSpec> commands)
      throws UsageException {
    CommandSpec spec = spec();
    return Invocation.of(
        spec,
        arguments,
        line -> new Help(text(line.operands(), commands), spec, line.has(OutputOptions.JSON)));
  }

  private static String text(List<String> operands, Map<String, CommandSpec> commands)
      throws UsageException {
    List<String> pages = operands.stream().skip(1).toList();
    if (!pages.isEmpty()
        && operands.get(0).equals("man")
        && pages.stream().allMatch(name -> isPage(name, commands))) {
      return pages.stream()
          .map(name -> new ManPage(commands).subcommand(name))
          .collect(Collectors.joining());
    }
    String target = operands.size() == 1 ? operands.get(0) : "";
    return switch (target) {
      case "bash" -> new ShellCompletion(commands).bash();
      case "zsh" -> new ShellCompletion(commands).zsh();
      case "fish" -> new ShellCompletion(commands).fish();
      case "man" -> new ManPage(commands).text();
      case "markdown" -> new MarkdownPage(commands).text();
      default ->
          throw new UsageException(
              "write: completion bash, zsh, fish, man, man SUBCOMMAND... or markdown");
    };
  }

  private static boolean isPage(String name, Map<String, CommandSpec> commands) {
    return !name.isEmpty() && commands.containsKey(name);
  }

  static CommandSpec spec() {
    CommandSpec spec =
        Options.command(
            "fdt completion",
            "Prints a shell completion, a man page, or the reference of all commands.%n");
    OutputOptions.json(spec);
    Options.general(spec);
    Options.operands(
        spec,
        List.of("bash", "zsh", "fish", "man", "markdown"),
        "bash|zsh|fish|man [SUBCOMMAND...]|markdown",
        "What to print.");
    spec.usageMessage()
        .customSynopsis("fdt completion bash|zsh|fish|man [SUBCOMMAND...]|markdown")
        .footer(
            "",
            "Examples:",
            "  fdt completion bash > ~/.local/share/bash-completion/completions/fdt",
            "  fdt completion man copy | man -l -");
    return spec;
  }
}
