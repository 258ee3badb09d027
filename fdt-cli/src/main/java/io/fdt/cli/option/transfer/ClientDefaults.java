package io.fdt.cli.option.transfer;

import io.fdt.cli.option.parse.LayeredLine;
import io.fdt.cli.option.parse.Setting;
import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.option.route.NamedServers;
import io.fdt.cli.option.route.ServersFile;
import io.fdt.cli.process.Surroundings;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Options of a client from outside the command line: those of the servers in {@link ServersFile}
 * that a line names, and those of the environment. The line overrides the environment, and the
 * environment the file. The option {@code --max-size} is the variable {@code FDT_MAX_SIZE}; the
 * value of a flag is yes or no. Stateless.
 */
public final class ClientDefaults {
  private static final String PREFIX = "FDT_";
  private static final String TOKEN_FILE = "--token-file";
  private static final String SOURCE_TOKEN_FILE = "--source-token-file";
  private static final String FINGERPRINT = "--fingerprint";

  /** Subcommands whose operands are servers, not paths on servers. */
  private static final Set<String> OF_SERVERS =
      Set.of("nettest", "doctor", "sessions", "login", "logout");

  /** The subcommand whose operands are endpoints of the service; these have their own tokens. */
  private static final String ENDPOINT = "endpoint";

  /** Variables that do not set an option. */
  private static final Set<String> OTHER_VARIABLES =
      Set.of("FDT_HOME", "FDT_TOKEN", "FDT_SOURCE_TOKEN", "FDT_SSH", "FDT_JAVA", "FDT_CACHE");

  private ClientDefaults() {}

  /**
   * The line with its settings.
   *
   * @param subcommand empty for FDT's flags
   * @param spec the options that the line can have
   * @param copy the options of {@code copy}, which a named server can set
   */
  public static LayeredLine of(
      String subcommand,
      List<String> arguments,
      CommandSpec spec,
      CommandSpec copy,
      Surroundings surroundings)
      throws UsageException {
    List<String> own =
        spec.optionsMap().containsKey("--bwlimit")
            ? ForeignOptions.translate(arguments, spec, surroundings)
            : arguments;
    NamedServers names =
        new NamedServers(
            ServersFile.read(surroundings), spec, subcommand, OF_SERVERS.contains(subcommand));
    List<String> replaced = names.replaced(own);
    Set<OptionSpec> given = given(replaced, spec);
    List<Setting> settings = new ArrayList<>();
    for (Setting variable : variables(surroundings.environment(), spec)) {
      add(variable, given, spec, settings);
    }
    given.addAll(
        settings.stream().map(setting -> spec.optionsMap().get(setting.option())).toList());
    for (NamedServers.Used used : names.used()) {
      Set<OptionSpec> ofServer = new LinkedHashSet<>();
      for (Setting setting : ofServer(used, spec, copy, surroundings)) {
        add(setting, given, spec, settings);
        ofServer.add(spec.optionsMap().get(setting.option()));
      }
      given.addAll(ofServer);
    }
    return new LayeredLine(settings, replaced);
  }

  private static void add(
      Setting setting, Set<OptionSpec> given, CommandSpec spec, List<Setting> settings) {
    if (!given.contains(spec.optionsMap().get(setting.option()))) {
      settings.add(setting);
    }
  }

  private static Set<OptionSpec> given(List<String> words, CommandSpec spec) {
    Set<OptionSpec> given = new HashSet<>();
    int end = words.contains("--") ? words.indexOf("--") : words.size();
    for (String word : words.subList(0, end)) {
      int equals = word.indexOf('=');
      OptionSpec option = spec.optionsMap().get(equals < 0 ? word : word.substring(0, equals));
      if (option != null) {
        given.add(option);
      }
    }
    return given;
  }

  private static List<Setting> variables(Map<String, String> environment, CommandSpec spec)
      throws UsageException {
    List<Setting> settings = new ArrayList<>();
    for (OptionSpec option : Setting.settable(spec)) {
      String name = Setting.variable(PREFIX, option);
      String text = environment.getOrDefault(name, "");
      if (!text.isEmpty()) {
        settings.addAll(Setting.ofVariable(name, option, text, spec));
      }
    }
    return settings;
  }

  private static List<Setting> ofServer(
      NamedServers.Used used, CommandSpec spec, CommandSpec copy, Surroundings surroundings)
      throws UsageException {
    List<Setting> settings = new ArrayList<>();
    for (ServersFile.Entry entry : used.server().options()) {
      String value = entry.name().endsWith("file") ? entry.path(surroundings) : entry.value();
      Setting setting = Setting.of(entry.where(), entry.name(), value, copy);
      if (setting.option().equals(TOKEN_FILE) && used.isSourceOfTwo()) {
        setting = Setting.of(entry.where(), SOURCE_TOKEN_FILE.substring(2), value, copy);
      }
      if (spec.optionsMap().containsKey(setting.option())) {
        settings.add(setting);
      }
    }
    if (used.isWhole() && used.server().fingerprint().isPresent()) {
      String fingerprint = used.server().fingerprint().get();
      settings.add(
          new Setting(used.server().name(), FINGERPRINT, List.of(FINGERPRINT + "=" + fingerprint)));
    }
    return settings;
  }

  /** Whether a command line could have any setting. */
  public static boolean mayMatter(Surroundings surroundings) throws UsageException {
    boolean hasVariable =
        surroundings.environment().keySet().stream()
            .anyMatch(name -> name.startsWith(PREFIX) && !OTHER_VARIABLES.contains(name));
    return hasVariable || !ServersFile.read(surroundings).isEmpty();
  }

  /** Whether settings apply to a command: it is one of a client. */
  public static boolean areFor(String subcommand, CommandSpec spec) {
    boolean isClient = OF_SERVERS.contains(subcommand) || spec.optionsMap().containsKey(TOKEN_FILE);
    return isClient && !subcommand.equals(ENDPOINT);
  }
}
