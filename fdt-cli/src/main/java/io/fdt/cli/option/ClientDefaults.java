package io.fdt.cli.option;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * What a client's command line has from elsewhere: the servers' names of {@link ServersFile} with
 * their options, and options of the environment. The line overrules the environment, and the
 * environment the file. An option {@code --max-size} is the variable {@code FDT_MAX_SIZE}; one
 * without a value is yes or no. Immutable.
 */
public final class ClientDefaults {
  private static final String PREFIX = "FDT_";
  private static final String TOKEN_FILE = "--token-file";
  private static final String SOURCE_TOKEN_FILE = "--source-token-file";
  private static final String FINGERPRINT = "--fingerprint";

  /** Subcommands whose operands are servers, and not paths on them. */
  private static final Set<String> OF_SERVERS =
      Set.of("nettest", "doctor", "sessions", "login", "logout");

  /** Its words name endpoints of the service, and its token is the endpoint's. */
  private static final String ENDPOINT = "endpoint";

  /** Those that each command may have, and that say nothing of options. */
  private static final Set<String> OTHER_VARIABLES =
      Set.of("FDT_HOME", "FDT_TOKEN", "FDT_SOURCE_TOKEN", "FDT_SSH", "FDT_JAVA", "FDT_CACHE");

  private final List<Setting> settings;
  private final List<String> words;

  private ClientDefaults(List<Setting> settings, List<String> words) {
    this.settings = List.copyOf(settings);
    this.words = List.copyOf(words);
  }

  /** Reads a line whose options all stand on it. */
  public interface Reading<T> {
    T of(List<String> words) throws UsageException;
  }

  /**
   * What a line has from elsewhere.
   *
   * @param subcommand empty for FDT's flags
   * @param spec the options that the line can have
   * @param copy those of {@code copy}, which a named server can have
   */
  public static ClientDefaults of(
      String subcommand,
      List<String> arguments,
      CommandSpec spec,
      CommandSpec copy,
      Surroundings surroundings)
      throws UsageException {
    List<String> own =
        spec.optionsMap().containsKey("--bwlimit")
            ? Habits.translate(arguments, spec, surroundings)
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
    return new ClientDefaults(settings, replaced);
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
      String name = variableOf(option);
      String text = environment.getOrDefault(name, "");
      if (text.isEmpty()) {
        continue;
      }
      String[] values = option.isMultiValue() ? text.split(";", -1) : new String[] {text};
      for (String value : values) {
        settings.add(Setting.of(name, Setting.longestName(option), value.strip(), spec));
      }
    }
    return settings;
  }

  private static String variableOf(OptionSpec option) {
    return PREFIX + Setting.longestName(option).toUpperCase(Locale.ROOT).replace('-', '_');
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

  /**
   * Reads the line; what is wrong with an option from elsewhere is told with its place. One that
   * has no meaning for this line, as the number of streams for a listing, is left out.
   */
  public <T> T read(Reading<T> reading) throws UsageException {
    List<Setting> used = new ArrayList<>(settings);
    while (true) {
      try {
        return reading.of(words(used));
      } catch (UsageException e) {
        if (!used.removeIf(setting -> setting.option().equals(e.superfluousOption()))) {
          throw blamed(e, used, reading);
        }
      }
    }
  }

  /** Without the setting that is to blame, the line is read, or something else is wrong. */
  private <T> UsageException blamed(UsageException flaw, List<Setting> used, Reading<T> reading) {
    for (int i = 0; i < used.size(); i++) {
      Setting setting = used.get(i);
      List<Setting> others = new ArrayList<>(used);
      others.remove(i);
      try {
        T unused = reading.of(words(others));
      } catch (UsageException e) {
        if (e.getMessage().equals(flaw.getMessage())) {
          continue;
        }
      }
      return new UsageException(setting.where() + ": " + flaw.getMessage());
    }
    return flaw;
  }

  private List<String> words(List<Setting> first) {
    List<String> all = new ArrayList<>();
    first.forEach(setting -> all.addAll(setting.words()));
    all.addAll(words);
    return all;
  }

  /** Whether there is anything that a command line could have from elsewhere. */
  public static boolean mayMatter(Surroundings surroundings) throws UsageException {
    boolean hasVariable =
        surroundings.environment().keySet().stream()
            .anyMatch(name -> name.startsWith(PREFIX) && !OTHER_VARIABLES.contains(name));
    return hasVariable || !ServersFile.read(surroundings).isEmpty();
  }

  /** Whether a command is a client's, so that there may be something from elsewhere. */
  public static boolean areFor(String subcommand, CommandSpec spec) {
    boolean isClient = OF_SERVERS.contains(subcommand) || spec.optionsMap().containsKey(TOKEN_FILE);
    return isClient && !subcommand.equals(ENDPOINT);
  }
}
