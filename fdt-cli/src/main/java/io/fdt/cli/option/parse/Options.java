package io.fdt.cli.option.parse;

import io.fdt.core.spec.TransferOption;
import io.fdt.core.spec.TransferOptions;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * The options that command lines are made of, each described once.
 *
 * <p>Values are kept as the text that was typed; {@link OptionValue} reads them, so that all
 * messages have FDT's style.
 */
public final class Options {
  public static final String PORT = "-p";
  public static final String RECURSIVE = "-r";
  public static final String SECONDS = "--seconds";
  public static final String NO_THIRD_PARTY = "--no-third-party";
  public static final String STOP = "-S";

  /** An option of the original FDT's agents. */
  public static final String TRANSFER_PORTS = "-tp";

  public static final String HELP = "-h";
  public static final String HELP_ALL = "--help-all";
  static final String VERSION = "-V";

  public static final String AFFINITY = "--affinity";

  /** The description of a server's port. */
  public static final String SERVER_PORT =
      "Port of the server (default 54321); one in its address counts instead.";

  private Options() {}

  /** A command without options yet. */
  public static CommandSpec command(String name, String description) {
    CommandSpec spec = CommandSpec.create().name(name);
    spec.usageMessage().description(description).sortOptions(false).width(80);
    return spec;
  }

  /** The lines of a description; without a break within values such as 09:00-18:00. */
  private static String[] lines(String description) {
    return description.lines().toArray(String[]::new);
  }

  /** Adds an option without a value. */
  public static void flag(CommandSpec spec, String description, String... names) {
    spec.addOption(
        OptionSpec.builder(names)
            .arity("0")
            .type(boolean.class)
            .description(lines(description))
            .build());
  }

  /** Adds an option with a value. */
  public static void value(CommandSpec spec, String label, String description, String... names) {
    spec.addOption(
        OptionSpec.builder(names)
            .arity("1")
            .type(String.class)
            .paramLabel(label)
            .description(lines(description))
            .build());
  }

  /** Adds an option whose value is one of a few words, which shells complete. */
  public static void choice(
      CommandSpec spec, List<String> words, String label, String description, String... names) {
    spec.addOption(
        OptionSpec.builder(names)
            .arity("1")
            .type(String.class)
            .paramLabel(label)
            .completionCandidates(words)
            .description(lines(description))
            .build());
  }

  /** Adds an option with a value that may be given more than once. */
  public static void values(CommandSpec spec, String label, String description, String... names) {
    spec.addOption(
        OptionSpec.builder(names)
            .arity("1")
            .type(List.class)
            .auxiliaryTypes(String.class)
            .paramLabel(label)
            .description(lines(description))
            .build());
  }

  /** Adds the operands. */
  public static void operands(CommandSpec spec, String label, String description) {
    spec.addPositional(
        anyOperands()
            .paramLabel(label)
            .hideParamSyntax(true)
            .description(lines(description))
            .build());
  }

  /** Describes the operands of another command's options. */
  public static void replaceOperands(CommandSpec spec, String label, String description) {
    List.copyOf(spec.positionalParameters()).forEach(spec::remove);
    operands(spec, label, description);
  }

  /** Leaves options out of the help. */
  public static void hide(CommandSpec spec, List<String> names) {
    for (String name : names) {
      OptionSpec option = spec.optionsMap().get(name);
      spec.remove(option);
      spec.addOption(OptionSpec.builder(option).hidden(true).build());
    }
  }

  /**
   * Adds operands of which the first is one of a few words, which shells complete.
   *
   * @param words the words
   */
  public static void operands(
      CommandSpec spec, List<String> words, String label, String description) {
    spec.addPositional(
        anyOperands()
            .paramLabel(label)
            .hideParamSyntax(true)
            .completionCandidates(words)
            .description(lines(description))
            .build());
  }

  /** Adds the operands of a command whose first one is a word that says what it does. */
  public static void words(CommandSpec spec, List<String> words) {
    operands(spec, words, "WORD ...", "One of " + String.join(", ", words) + ".");
  }

  /** Accepts operands in the parser, for a command that refuses them with its own message. */
  public static void unexpectedOperands(CommandSpec spec) {
    spec.addPositional(anyOperands().hidden(true).build());
  }

  private static PositionalParamSpec.Builder anyOperands() {
    return PositionalParamSpec.builder()
        .index("0..*")
        .arity("0..*")
        .type(List.class)
        .auxiliaryTypes(String.class);
  }

  /** Adds the port of a server. */
  public static void serverPort(CommandSpec spec) {
    port(spec, SERVER_PORT);
  }

  public static void port(CommandSpec spec, String description) {
    value(spec, "PORT", description, PORT, "--port");
  }

  /** Adds options of transfers, unless the command has them. */
  public static void transfer(CommandSpec spec, List<TransferOption<?>> options) {
    for (TransferOption<?> option : options) {
      String[] names = option.names().toArray(String[]::new);
      if (names.length == 0 || spec.optionsMap().containsKey(names[0])) {
        continue;
      }
      List<String> words =
          option.equals(TransferOptions.CHECKSUM) ? DigestName.ALL : option.words();
      switch (option.kind()) {
        case FLAG -> flag(spec, option.help(), names);
        case PATTERN -> values(spec, option.label(), option.help(), names);
        default -> choice(spec, words, option.label(), option.help(), names);
      }
    }
  }

  /** The first names of options of transfers. */
  public static List<String> names(List<TransferOption<?>> options) {
    return options.stream()
        .filter(option -> !option.names().isEmpty())
        .<String>map(TransferOption::name)
        .toList();
  }

  public static void seconds(CommandSpec spec) {
    value(spec, "N", "Duration of a network test in seconds, 1 to 3600 (default 10).", SECONDS);
  }

  /** Whether a line asks for help. */
  public static boolean areForHelp(List<String> arguments) {
    return Stream.of(HELP, "--help", HELP_ALL).anyMatch(arguments::contains);
  }

  /** Adds the choice of processors, for commands that move data. */
  public static void affinity(CommandSpec spec) {
    value(
        spec,
        "auto|off|LIST",
        "Processors of this machine for the transfer's threads: auto (default) runs those of"
            + " streams near the network card and those of disks near the disk, where memory has"
            + " nodes (NUMA); off leaves it to the system; LIST is as 0-7,16.",
        AFFINITY);
  }

  /** Adds the options that every command has. */
  public static void general(CommandSpec spec) {
    flag(spec, "Print more; -v names of files and events, -vv details, -vvv everything.", "-v");
    spec.addOption(OptionSpec.builder("-vv").arity("0").type(boolean.class).hidden(true).build());
    spec.addOption(OptionSpec.builder("-vvv").arity("0").type(boolean.class).hidden(true).build());
    spec.addOption(
        OptionSpec.builder(HELP, "--help", HELP_ALL)
            .usageHelp(true)
            .description("Show this help; --help-all: all options.")
            .build());
    spec.addOption(
        OptionSpec.builder(VERSION, "--version")
            .versionHelp(true)
            .description("Show the version.")
            .build());
  }
}
