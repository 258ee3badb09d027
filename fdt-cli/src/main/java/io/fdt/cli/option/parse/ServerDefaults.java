package io.fdt.cli.option.parse;

import io.fdt.cli.process.Surroundings;
import io.fdt.core.model.ByteText;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Options of a server from its environment and a configuration file. The line overrides the
 * environment, and the environment the file, option by option: all values of an option come from
 * the same place.
 *
 * <p>The file has {@code name = value} on each line, with the names of options without dashes. An
 * option with several values has several lines; the value of a flag is yes or no. Empty lines and
 * lines that start with # are skipped; a value ends with its line and needs no quotes. Pure.
 */
public final class ServerDefaults {
  private static final String PREFIX = "FDT_SERVE_";

  private ServerDefaults() {}

  /**
   * The line with its settings; a line that asks for help has none.
   *
   * @param fileOption the option that names the file
   */
  public static LayeredLine of(
      CommandSpec spec, List<String> arguments, String fileOption, Surroundings surroundings)
      throws UsageException {
    ParsedLine line = ParsedLine.parse(spec, arguments);
    List<Setting> settings = new ArrayList<>();
    if (!line.isForHelp() && !line.isForVersion()) {
      List<Setting> variables = variables(surroundings.environment(), spec);
      Optional<String> file = line.value(fileOption).or(() -> fileSetting(variables, fileOption));
      if (file.isPresent()) {
        byte[] content = ReferredFile.read(fileOption + " " + file.get(), file.get(), surroundings);
        for (Setting setting : parse(file.get(), content, spec)) {
          if (setting.option().equals(fileOption)) {
            throw new UsageException(setting.where() + ": a file cannot name another file");
          }
          if (variables.stream().noneMatch(other -> other.option().equals(setting.option()))) {
            settings.add(setting);
          }
        }
      }
      settings.addAll(variables);
      settings.removeIf(setting -> line.has(setting.option()));
    }
    return new LayeredLine(settings, arguments);
  }

  private static Optional<String> fileSetting(List<Setting> variables, String fileOption) {
    return variables.stream()
        .flatMap(setting -> setting.words().stream())
        .filter(word -> word.startsWith(fileOption + "="))
        .map(word -> word.substring(fileOption.length() + 1))
        .findFirst();
  }

  private static List<Setting> variables(Map<String, String> environment, CommandSpec spec)
      throws UsageException {
    List<Setting> settings = new ArrayList<>();
    for (Map.Entry<String, String> variable : new TreeMap<>(environment).entrySet()) {
      String name = variable.getKey();
      if (name.startsWith(PREFIX)) {
        OptionSpec option =
            Setting.settable(spec).stream()
                .filter(known -> name.equals(Setting.variable(PREFIX, known)))
                .findFirst()
                .orElseThrow(() -> new UsageException(unknownVariable(name, spec)));
        settings.addAll(Setting.ofVariable(name, option, variable.getValue(), spec));
      }
    }
    return settings;
  }

  private static String unknownVariable(String name, CommandSpec spec) {
    List<String> known =
        Setting.settable(spec).stream().map(option -> Setting.variable(PREFIX, option)).toList();
    return "the environment has "
        + name
        + ", which is no setting"
        + Suggestion.nearest(name, known).map(meant -> "; did you mean " + meant + "?").orElse("");
  }

  private static List<Setting> parse(String file, byte[] content, CommandSpec spec)
      throws UsageException {
    List<Setting> settings = new ArrayList<>();
    String[] lines = ByteText.decode(content).split("\n", -1);
    for (int i = 0; i < lines.length; i++) {
      String line = lines[i].strip();
      if (line.isEmpty() || line.startsWith("#")) {
        continue;
      }
      String where = file + ":" + (i + 1);
      int equals = line.indexOf('=');
      if (equals < 0) {
        throw new UsageException(where + ": '" + line + "' is not of the form: name = value");
      }
      String name = line.substring(0, equals).strip();
      settings.add(Setting.of(where, name, line.substring(equals + 1).strip(), spec));
    }
    return settings;
  }
}
