package io.fdt.cli.option;

import io.fdt.cli.command.Invocation;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * A command line some of whose options stand in the environment or in a file. The line overrules
 * the environment, and the environment the file, option by option: what may be given more than once
 * is taken from one place only. Pure.
 */
public final class LayeredLine {
  private final CommandSpec spec;
  private final String variablePrefix;

  /**
   * @param variablePrefix what the names of the variables begin with; FDT_SERVE_ and --max-memory
   *     make FDT_SERVE_MAX_MEMORY
   */
  public LayeredLine(CommandSpec spec, String variablePrefix) {
    this.spec = spec;
    this.variablePrefix = variablePrefix;
  }

  /**
   * Reads a line with what stands elsewhere.
   *
   * @param fileOption the option that names the file
   */
  public Invocation parse(
      List<String> arguments,
      String fileOption,
      Surroundings surroundings,
      Invocation.Reading reading)
      throws UsageException {
    ParsedLine line = ParsedLine.parse(spec, arguments);
    if (line.information().isPresent()) {
      return line.information().get();
    }
    List<Setting> variables = variables(surroundings.environment());
    Optional<String> file = line.value(fileOption).or(() -> fileSetting(variables, fileOption));
    List<Setting> settings = new ArrayList<>();
    if (file.isPresent()) {
      byte[] content = ReferredFile.read(fileOption + " " + file.get(), file.get(), surroundings);
      for (Setting setting : SettingsFile.parse(file.get(), content, spec)) {
        if (setting.option().equals(fileOption)) {
          throw new UsageException(setting.where() + ": a file names no other file");
        }
        if (variables.stream().noneMatch(other -> other.option().equals(setting.option()))) {
          settings.add(setting);
        }
      }
    }
    settings.addAll(variables);
    settings.removeIf(setting -> line.has(setting.option()));
    try {
      return Invocation.of(spec, words(settings, arguments), reading);
    } catch (UsageException e) {
      throw located(e, settings, reading);
    }
  }

  private static Optional<String> fileSetting(List<Setting> variables, String fileOption) {
    return variables.stream()
        .flatMap(setting -> setting.words().stream())
        .filter(word -> word.startsWith(fileOption + "="))
        .map(word -> word.substring(fileOption.length() + 1))
        .findFirst();
  }

  /** Variables may hold several values of an option, separated by semicolons. */
  private List<Setting> variables(Map<String, String> environment) throws UsageException {
    List<Setting> settings = new ArrayList<>();
    for (Map.Entry<String, String> variable : new TreeMap<>(environment).entrySet()) {
      String name = variable.getKey();
      if (!name.startsWith(variablePrefix)) {
        continue;
      }
      OptionSpec option =
          Setting.settable(spec).stream()
              .filter(known -> name.equals(variableOf(known)))
              .findFirst()
              .orElseThrow(() -> new UsageException(unknownVariable(name)));
      String[] values =
          option.isMultiValue()
              ? variable.getValue().split(";", -1)
              : new String[] {variable.getValue()};
      for (String value : values) {
        settings.add(Setting.of(name, Setting.longestName(option), value.strip(), spec));
      }
    }
    return settings;
  }

  private String variableOf(OptionSpec option) {
    return variablePrefix + Setting.longestName(option).toUpperCase(Locale.ROOT).replace('-', '_');
  }

  private String unknownVariable(String name) {
    List<String> known = Setting.settable(spec).stream().map(this::variableOf).toList();
    return "the environment has "
        + name
        + ", which is no setting"
        + Suggestion.nearest(name, known).map(meant -> "; did you mean " + meant + "?").orElse("");
  }

  private static List<String> words(List<Setting> settings, List<String> arguments) {
    return Stream.concat(
            settings.stream().flatMap(setting -> setting.words().stream()), arguments.stream())
        .toList();
  }

  /**
   * Says where the setting stands that is wrong: the last of the fewest that are wrong in the same
   * way. What no setting is to blame for stays as it is.
   */
  private UsageException located(
      UsageException flaw, List<Setting> settings, Invocation.Reading reading) {
    for (int count = 1; count <= settings.size(); count++) {
      try {
        Invocation.of(spec, words(settings.subList(0, count), List.of()), reading);
      } catch (UsageException e) {
        if (e.getMessage().equals(flaw.getMessage())) {
          return new UsageException(settings.get(count - 1).where() + ": " + e.getMessage());
        }
      }
    }
    return flaw;
  }
}
