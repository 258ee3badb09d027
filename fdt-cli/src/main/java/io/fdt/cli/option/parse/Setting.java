package io.fdt.cli.option.parse;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * An option that was not given on the command line.
 *
 * @param where it was found, for messages
 * @param option its first name
 * @param words of the option on a command line; empty for a flag that is off
 */
public record Setting(String where, String option, List<String> words) {
  /**
   * Finds the option of a name.
   *
   * @param name of the option, without its dashes
   */
  public static Setting of(String where, String name, String value, CommandSpec spec)
      throws UsageException {
    OptionSpec option =
        settable(spec).stream()
            .filter(known -> namesOf(known).anyMatch(name::equals))
            .findFirst()
            .orElseThrow(() -> new UsageException(where + ": " + unknown(name, spec)));
    String first = option.names()[0];
    if (option.arity().max() == 0) {
      return new Setting(where, first, isYes(where, name, value) ? List.of(first) : List.of());
    }
    if (value.isEmpty()) {
      throw new UsageException(where + ": " + name + " needs a value: " + option.paramLabel());
    }
    return new Setting(where, first, List.of(first + "=" + value));
  }

  /**
   * The settings of a variable; semicolons separate several values.
   *
   * @param name of the variable
   */
  public static List<Setting> ofVariable(
      String name, OptionSpec option, String text, CommandSpec spec) throws UsageException {
    List<Setting> settings = new ArrayList<>();
    for (String value : option.isMultiValue() ? text.split(";", -1) : new String[] {text}) {
      settings.add(of(name, longestName(option), value.strip(), spec));
    }
    return settings;
  }

  /** The variable of an option: FDT_SERVE_MAX_MEMORY for --max-memory and the prefix FDT_SERVE_. */
  public static String variable(String prefix, OptionSpec option) {
    return prefix + longestName(option).toUpperCase(Locale.ROOT).replace('-', '_');
  }

  /** The options of a command that the environment or the configuration file can set. */
  public static List<OptionSpec> settable(CommandSpec spec) {
    return spec.options().stream()
        .filter(option -> !option.usageHelp() && !option.versionHelp())
        .toList();
  }

  private static Stream<String> namesOf(OptionSpec option) {
    return Stream.of(option.names()).map(Setting::bare);
  }

  private static String bare(String name) {
    return name.replaceFirst("^-+", "");
  }

  /** The longest name without dashes: "port" of -p and --port. */
  public static String longestName(OptionSpec option) {
    return bare(option.longestName());
  }

  private static String unknown(String name, CommandSpec spec) {
    Collection<String> known = settable(spec).stream().map(Setting::longestName).toList();
    return "'"
        + name
        + "' is no setting"
        + Suggestion.nearest(name, known)
            .map(meant -> "; did you mean " + meant + "?")
            .orElse("; the settings are the options of the command, without dashes");
  }

  private static boolean isYes(String where, String name, String value) throws UsageException {
    Optional<Boolean> yes =
        switch (value) {
          case "yes", "true" -> Optional.of(true);
          case "no", "false" -> Optional.of(false);
          default -> Optional.empty();
        };
    return yes.orElseThrow(
        () -> new UsageException(where + ": " + name + " is yes or no, not '" + value + "'"));
  }
}
