package io.fdt.cli.command;

import io.fdt.cli.option.parse.Options;
import io.fdt.cli.option.parse.ParsedLine;
import io.fdt.cli.option.parse.Setting;
import io.fdt.cli.option.parse.Suggestion;
import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.option.route.Location;
import io.fdt.cli.option.route.ServersFile;
import io.fdt.cli.option.transfer.OutputOptions;
import io.fdt.cli.process.Surroundings;
import io.fdt.cli.run.Command;
import io.fdt.cli.run.Invocation;
import io.fdt.cli.run.host.ConfigRun;
import io.fdt.client.ClientHome;
import io.fdt.client.Logins;
import io.fdt.client.ServerNames;
import io.fdt.core.error.FdtException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The command line of config: the file of servers, and the variables of the environment. */
final class ConfigCommand {
  static final String NAME = "config";
  private static final String CHECK = "--check";
  private static final String SHOW = "--show";
  private static final String PREFIX = "FDT_";

  private final Surroundings surroundings;
  private final Subcommand copy;
  private final Specs specs;
  private final Path home;

  /** Makes all command lines, by the name of their subcommand. */
  interface Specs {
    Map<String, CommandSpec> of(Surroundings surroundings) throws UsageException;
  }

  private ConfigCommand(Surroundings surroundings, Subcommand copy, Specs specs) {
    this.surroundings = surroundings;
    this.copy = copy;
    this.specs = specs;
    this.home = ClientHome.of(surroundings.environment(), surroundings.userHome());
  }

  /**
   * Reads a line.
   *
   * @param copy reads lines of copy with their settings
   */
  static Invocation parse(
      List<String> arguments, Surroundings surroundings, Subcommand copy, Specs specs)
      throws UsageException {
    ConfigCommand config = new ConfigCommand(surroundings, copy, specs);
    return Invocation.of(spec(), arguments, config::command);
  }

  private Command command(ParsedLine line) throws UsageException {
    boolean json = line.has(OutputOptions.JSON);
    if (line.has(CHECK) && line.has(SHOW)) {
      throw new UsageException(CHECK + " and " + SHOW + ": give one of them");
    }
    if (line.operands().size() > (line.has(CHECK) ? 1 : 0)) {
      throw new UsageException(
          "'" + line.operands().get(0) + "': only " + CHECK + " takes a file: one of fdt serve");
    }
    if (line.has(CHECK) && !line.operands().isEmpty()) {
      String file = line.operands().get(0);
      return new ConfigRun.Check(() -> problemsOfServer(file), file, json);
    }
    String file = home.resolve(ServerNames.FILE).toString();
    if (line.has(CHECK)) {
      return new ConfigRun.Check(this::problems, file + ", the environment and the logins", json);
    }
    if (line.has(SHOW)) {
      return new ConfigRun.Show(values(), json);
    }
    if (json) {
      throw new UsageException(OutputOptions.JSON + " needs " + CHECK + " or " + SHOW);
    }
    return new ConfigRun.Edit(this::problems);
  }

  /** Flaws of a file for {@code serve --config}. */
  private List<String> problemsOfServer(String file) {
    try {
      Invocation unused = ServeCommand.parse(List.of("--config", file), surroundings);
      return List.of();
    } catch (UsageException e) {
      return List.of(e.getMessage());
    }
  }

  private List<String> problems() {
    Set<String> problems = new LinkedHashSet<>();
    try {
      List<String> sources = new ArrayList<>(List.of(Location.SCHEME + "h/")); // has no settings
      ServersFile.read(surroundings).keySet().forEach(name -> sources.add(name + ":/"));
      for (String source : sources) {
        try {
          Invocation unused = copy.parse(List.of(source, "."), surroundings);
        } catch (UsageException e) {
          problems.add(e.getMessage());
        }
      }
      problems.addAll(misspelled());
    } catch (UsageException e) {
      problems.add(e.getMessage());
    }
    try {
      problems.addAll(new Logins(home).flaws());
    } catch (FdtException e) {
      problems.add(e.getMessage());
    }
    return List.copyOf(problems);
  }

  /** The settings of the environment by variable: those of all commands. */
  private Map<String, OptionSpec> variables() throws UsageException {
    Map<String, OptionSpec> variables = new TreeMap<>();
    for (CommandSpec spec : specs.of(surroundings).values()) {
      Setting.settable(spec)
          .forEach(option -> variables.putIfAbsent(Setting.variable(PREFIX, option), option));
    }
    return variables;
  }

  private List<String> misspelled() throws UsageException {
    Set<String> known = variables().keySet();
    List<String> problems = new ArrayList<>();
    for (String name : new TreeSet<>(surroundings.environment().keySet())) {
      if (name.startsWith(PREFIX) && !known.contains(name) && !name.startsWith("FDT_SERVE_")) {
        Suggestion.nearest(name, known)
            .ifPresent(
                meant ->
                    problems.add(
                        "the environment has %s, which is no setting; did you mean %s?"
                            .formatted(name, meant)));
      }
    }
    return problems;
  }

  private List<ConfigRun.Value> values() throws UsageException {
    Map<String, String> environment = surroundings.environment();
    List<ConfigRun.Value> values = new ArrayList<>();
    String from =
        !environment.getOrDefault("FDT_HOME", "").isEmpty()
            ? "FDT_HOME"
            : !environment.getOrDefault("XDG_CONFIG_HOME", "").isEmpty()
                ? "XDG_CONFIG_HOME"
                : "default";
    values.add(new ConfigRun.Value(Optional.empty(), "home", home.toString(), from));
    Map<String, OptionSpec> known = variables();
    Map<String, String> given = new TreeMap<>();
    for (Map.Entry<String, String> variable : new TreeMap<>(environment).entrySet()) {
      OptionSpec option = known.get(variable.getKey());
      boolean isListed = variable.getKey().equals("FDT_HOME");
      if (option != null && !isListed && !variable.getValue().isEmpty()) {
        given.put(Setting.longestName(option), variable.getKey());
        values.add(
            new ConfigRun.Value(
                Optional.empty(),
                Setting.longestName(option),
                variable.getValue(),
                variable.getKey()));
      }
    }
    for (ServersFile.Named server : ServersFile.read(surroundings).values()) {
      Optional<String> name = Optional.of(server.name());
      values.add(new ConfigRun.Value(name, "address", server.address().toString(), server.where()));
      server
          .fingerprint()
          .ifPresent(
              key -> values.add(new ConfigRun.Value(name, "fingerprint", key, server.where())));
      for (ServersFile.Entry entry : server.options()) {
        String variable = given.get(entry.name());
        values.add(
            variable == null
                ? new ConfigRun.Value(name, entry.name(), entry.value(), entry.where())
                : new ConfigRun.Value(
                    name,
                    entry.name(),
                    environment.get(variable),
                    variable + ", which overrides " + entry.where()));
      }
    }
    return values;
  }

  private static CommandSpec spec() {
    CommandSpec spec =
        Options.command(
            "fdt config",
            "Opens the configuration of clients, the file client.conf of FDT_HOME, in $VISUAL or"
                + " $EDITOR; a missing one is made with comments.%n");
    Options.flag(
        spec,
        "Check client.conf, the environment and the logins; with FILE: options of a server, as"
            + " serve --config reads them. Exit status 2 if something is wrong.",
        CHECK);
    Options.flag(
        spec,
        "List the values in force and where each is from; everything else has its default.",
        SHOW);
    OutputOptions.json(spec);
    Options.general(spec);
    Options.operands(spec, "[FILE]", "With --check: options of a server.");
    spec.usageMessage()
        .customSynopsis("fdt config [--check [FILE] | --show]")
        .footer(
            "",
            "A command line overrides the environment, and the environment client.conf.",
            "",
            "Examples:",
            "  java -jar fdt.jar config",
            "  java -jar fdt.jar config --check /etc/fdt/fdt.conf");
    return spec;
  }
}
