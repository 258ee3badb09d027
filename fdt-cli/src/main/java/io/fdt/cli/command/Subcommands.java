package io.fdt.cli.command;

import io.fdt.cli.option.parse.Options;
import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.option.transfer.ClientDefaults;
import io.fdt.cli.process.RepeatedSurroundings;
import io.fdt.cli.process.Surroundings;
import io.fdt.cli.run.Command;
import io.fdt.cli.run.Help;
import io.fdt.cli.run.Invocation;
import io.fdt.cli.service.EndpointCommand;
import io.fdt.cli.service.NoticeCommand;
import io.fdt.cli.service.ServiceCommand;
import io.fdt.cli.service.TaskCommand;
import io.fdt.cli.service.TimerCommand;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;

/**
 * Reads both forms of the command line: if the first word is a subcommand, the rest are its words;
 * otherwise the line has FDT's flags. Both give the same {@link Command}s.
 */
public final class Subcommands {
  /** The help of FDT's flags. */
  static final String FLAGS = "flags";

  private static final Map<String, Subcommand> SUBCOMMANDS =
      new TreeMap<>(
          Map.ofEntries(
              Map.entry("attach", of(SessionCommand::attach)),
              Map.entry("cancel", of(SessionCommand::cancel)),
              Map.entry("checksum", (Subcommand) FileCommand::checksum),
              Map.entry("cleanup", of(CleanupCommand::parse)),
              Map.entry("completion", (Subcommand) Subcommands::completion),
              Map.entry(ConfigCommand.NAME, (Subcommand) Subcommands::config),
              Map.entry("copy", (Subcommand) CopyCommand::parse),
              Map.entry("doctor", of(DoctorCommand::parse)),
              Map.entry("du", of(FileCommand::du)),
              Map.entry("explain", of(ExplainCommand::parse)),
              Map.entry("login", (Subcommand) LoginCommand::login),
              Map.entry("logout", of(LoginCommand::logout)),
              Map.entry("ls", of(FileCommand::ls)),
              Map.entry("mkdir", of(FileCommand::mkdir)),
              Map.entry("nettest", of(NettestCommand::parse)),
              Map.entry("plan", (Subcommand) PlanCommand::plan),
              Map.entry("worker", (Subcommand) PlanCommand::worker),
              Map.entry("rename", of(FileCommand::rename)),
              Map.entry("rm", of(FileCommand::rm)),
              Map.entry("servers", (Subcommand) LoginCommand::servers),
              Map.entry("serve", (Subcommand) ServeCommand::parse),
              Map.entry("sessions", of(SessionCommand::sessions)),
              Map.entry("stat", of(FileCommand::stat)),
              Map.entry("sync", (Subcommand) SyncCommand::parse),
              Map.entry("token", (Subcommand) TokenCommand::parse),
              Map.entry("watch", (Subcommand) WatchCommand::parse),
              Map.entry("endpoint", (Subcommand) EndpointCommand::parse),
              Map.entry("notice", of(NoticeCommand::parse)),
              Map.entry("service", of(ServiceCommand::parse)),
              Map.entry("task", (Subcommand) TaskCommand::parse),
              Map.entry("timer", (Subcommand) TimerCommand::parse)));

  private Subcommands() {}

  /** A subcommand that reads only its words. */
  private interface Words {
    Invocation parse(List<String> arguments) throws UsageException;
  }

  private static Subcommand of(Words words) {
    return (arguments, surroundings) -> words.parse(arguments);
  }

  private static Invocation completion(List<String> arguments, Surroundings surroundings)
      throws UsageException {
    return CompletionCommand.parse(
        arguments, Options.areForHelp(arguments) ? Map.of() : commands(surroundings));
  }

  private static Invocation config(List<String> arguments, Surroundings surroundings)
      throws UsageException {
    return ConfigCommand.parse(
        arguments,
        surroundings,
        (words, around) -> withDefaults("copy", CopyCommand::parse, words, around),
        Subcommands::commands);
  }

  /** All command lines by the name of their subcommand; the line without a subcommand has "". */
  static Map<String, CommandSpec> commands(Surroundings surroundings) throws UsageException {
    Map<String, CommandSpec> commands = new TreeMap<>();
    commands.put("", specOf(fdt(List.of(Options.HELP), surroundings)));
    for (Map.Entry<String, Subcommand> subcommand : SUBCOMMANDS.entrySet()) {
      commands.put(
          subcommand.getKey(),
          specOf(subcommand.getValue().parse(List.of(Options.HELP), surroundings)));
    }
    return commands;
  }

  private static CommandSpec specOf(Invocation help) {
    return ((Help) help.command()).spec();
  }

  /**
   * Reads a command line.
   *
   * @param surroundings files and variables that it refers to
   */
  public static Invocation parse(List<String> arguments, Surroundings surroundings)
      throws UsageException {
    String first = arguments.isEmpty() ? "" : named(arguments.get(0));
    if (first.equals("help")) {
      return help(arguments.subList(1, arguments.size()), surroundings);
    }
    Subcommand subcommand = SUBCOMMANDS.get(first);
    if (first.equals(CompleteWordCommand.NAME)) {
      return CompleteWordCommand.parse(
          arguments.subList(1, arguments.size()), surroundings, Subcommands::parse);
    }
    if (first.equals(SshEndCommand.NAME)) {
      return SshEndCommand.parse(arguments.subList(1, arguments.size()));
    }
    if (subcommand == null) {
      return fdt(arguments, surroundings);
    }
    try {
      return withDefaults(first, subcommand, arguments.subList(1, arguments.size()), surroundings);
    } catch (UsageException e) {
      throw new UsageException(
          first + ": " + e.getMessage() + " (see: java -jar fdt.jar " + first + " --help)");
    }
  }

  /** Reads a line with the settings of named servers and of the environment. */
  private static Invocation withDefaults(
      String name, Subcommand subcommand, List<String> arguments, Surroundings surroundings)
      throws UsageException {
    boolean isServer =
        name.isEmpty()
            && Stream.of(FdtCommand.HOST, FdtCommand.CONNECT, FdtCommand.COORDINATOR)
                .noneMatch(arguments::contains);
    boolean isPlain = isServer || name.equals(ConfigCommand.NAME); // which mends a broken file
    if (Options.areForHelp(arguments) || isPlain || !ClientDefaults.mayMatter(surroundings)) {
      return subcommand.parse(arguments, surroundings);
    }
    Surroundings same = new RepeatedSurroundings(surroundings);
    CommandSpec spec = specOf(subcommand.parse(List.of(Options.HELP), same));
    if (!ClientDefaults.areFor(name, spec)) {
      return subcommand.parse(arguments, surroundings);
    }
    CommandSpec copy = specOf(CopyCommand.parse(List.of(Options.HELP), same));
    return ClientDefaults.of(name, arguments, spec, copy, same)
        .read(words -> subcommand.parse(words, same));
  }

  private static Invocation fdt(List<String> arguments, Surroundings surroundings)
      throws UsageException {
    try {
      OriginalFlags.Line line = OriginalFlags.translate(arguments);
      Invocation invocation =
          withDefaults(
              "",
              (words, around) -> FdtCommand.parse(words, around, SUBCOMMANDS.keySet()),
              line.words(),
              surroundings);
      return invocation.command() instanceof Help help && !arguments.contains(Options.HELP_ALL)
          ? new Invocation(new Help(FdtHelp.OVERVIEW, help.spec(), false), 0)
          : line.noted(invocation);
    } catch (UsageException e) {
      throw new UsageException(e.getMessage() + " (see: java -jar fdt.jar --help)");
    }
  }

  /** The subcommand of a word. */
  private static String named(String word) {
    return word.equals("cp") ? "copy" : word;
  }

  private static Invocation help(List<String> words, Surroundings surroundings)
      throws UsageException {
    boolean isAll = words.contains(Options.HELP_ALL);
    List<String> topics = words.stream().filter(word -> !word.startsWith("-")).toList();
    if (topics.isEmpty()) {
      return fdt(List.of(isAll ? Options.HELP_ALL : Options.HELP), surroundings);
    }
    if (topics.equals(List.of(FLAGS))) {
      return fdt(List.of(Options.HELP_ALL), surroundings);
    }
    Subcommand subcommand = SUBCOMMANDS.get(named(topics.get(0)));
    if (subcommand == null || topics.size() > 1) {
      throw new UsageException(
          "help: there is help on "
              + String.join(", ", SUBCOMMANDS.keySet())
              + ", "
              + FLAGS
              + " (see: java -jar fdt.jar --help)");
    }
    return subcommand.parse(List.of(isAll ? Options.HELP_ALL : Options.HELP), surroundings);
  }
}
