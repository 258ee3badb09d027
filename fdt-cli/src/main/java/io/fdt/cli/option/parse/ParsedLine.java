package io.fdt.cli.option.parse;

import io.fdt.core.spec.TransferOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.OverwrittenOptionException;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** The options and operands that were found on one command line. Immutable. */
public final class ParsedLine {
  private static final List<String> VERBOSE = List.of("-v", "-vv", "-vvv");

  private final CommandLine commandLine;
  private final ParseResult result;
  private final List<String> operands;

  private ParsedLine(CommandLine commandLine, ParseResult result, List<String> operands) {
    this.commandLine = commandLine;
    this.result = result;
    this.operands = operands;
  }

  /** Parses a command line; a word that its specification does not know is a usage error. */
  public static ParsedLine parse(CommandSpec spec, List<String> arguments) throws UsageException {
    CommandLine commandLine =
        new CommandLine(spec)
            .setPosixClusteredShortOptionsAllowed(false)
            .setExpandAtFiles(false)
            .setInterpolateVariables(false)
            .setAllowOptionsAsOptionParameters(false);
    try {
      checkNoOptionAsValue(spec, arguments);
      ParseResult result = commandLine.parseArgs(flagsOnce(spec, arguments).toArray(String[]::new));
      List<PositionalParamSpec> positionals = result.matchedPositionals();
      List<String> operands = positionals.isEmpty() ? List.of() : positionals.get(0).stringValues();
      checkNoOptionAmong(operands, arguments, spec);
      return new ParsedLine(commandLine, result, List.copyOf(operands));
    } catch (UnmatchedArgumentException e) {
      throw new UsageException(unknownOption(e.getUnmatched().get(0), spec));
    } catch (MissingParameterException e) {
      throw new UsageException(missingValue(e, arguments));
    } catch (OverwrittenOptionException e) {
      throw new UsageException(typed(e.getOverwritten(), arguments) + " was given more than once");
    } catch (ParameterException e) {
      throw new UsageException(e.getMessage());
    }
  }

  /**
   * The line with each flag once: an alias may repeat it. Each -v counts. Options with a value are
   * unchanged; a repeated one is an error.
   */
  private static List<String> flagsOnce(CommandSpec spec, List<String> arguments) {
    int end = arguments.contains("--") ? arguments.indexOf("--") : arguments.size();
    List<String> once = new ArrayList<>();
    Set<OptionSpec> seen = new HashSet<>();
    int verbosity = 0;
    for (String word : arguments.subList(0, end)) {
      OptionSpec option = spec.optionsMap().get(word);
      if (option != null && VERBOSE.contains(word)) {
        verbosity += word.length() - 1;
      } else if (option == null || option.arity().max() > 0 || seen.add(option)) {
        once.add(word);
      }
    }
    if (verbosity > 0) {
      once.add(0, VERBOSE.get(Math.min(verbosity, VERBOSE.size()) - 1));
    }
    once.addAll(arguments.subList(end, arguments.size()));
    return once;
  }

  /**
   * Refuses -5, which the parser takes for an operand because it could be a number; here it needs
   * -- before it.
   */
  private static void checkNoOptionAmong(
      List<String> operands, List<String> arguments, CommandSpec spec) throws UsageException {
    int delimiter = arguments.indexOf("--");
    int afterDelimiter = delimiter < 0 ? 0 : arguments.size() - delimiter - 1;
    for (String operand : operands.subList(0, operands.size() - afterDelimiter)) {
      if (operand.startsWith("-") && operand.length() > 1) {
        throw new UsageException(unknownOption(operand, spec));
      }
    }
  }

  private static String unknownOption(String typed, CommandSpec spec) {
    String meant =
        joinedValue(typed, spec)
            .or(() -> Suggestion.nearest(typed, spec.optionsMap().keySet()))
            .map(option -> "; did you mean " + option + "?")
            .orElse("; a name that starts with a dash goes after --");
    return "unknown option " + typed + meant;
  }

  /** The right spelling of -P7 or -bs16M. */
  private static Optional<String> joinedValue(String typed, CommandSpec spec) {
    String option = typed.replaceFirst("[0-9].*", "");
    OptionSpec known = spec.optionsMap().get(option);
    boolean takesValue = known != null && known.arity().max() > 0;
    return takesValue && option.length() < typed.length()
        ? Optional.of("'" + option + " " + typed.substring(option.length()) + "'")
        : Optional.empty();
  }

  private static String missingValue(MissingParameterException e, List<String> arguments) {
    ArgSpec option = e.getMissing().get(0);
    int found = e.getMessage().indexOf("but found '");
    String insteadOfIt = found < 0 ? "" : ", " + e.getMessage().substring(found);
    return needsValue(option, typed(option, arguments), insteadOfIt);
  }

  private static String needsValue(ArgSpec option, String typed, String insteadOfIt) {
    return typed + " needs a value: " + typed + " " + option.paramLabel() + insteadOfIt;
  }

  /** Refuses a value that looks like an option: {@code -d=-x} is the spelling of such a value. */
  private static void checkNoOptionAsValue(CommandSpec spec, List<String> arguments)
      throws UsageException {
    int end = arguments.contains("--") ? arguments.indexOf("--") : arguments.size();
    for (int i = 0; i + 1 < end; i++) {
      OptionSpec option = spec.optionsMap().get(arguments.get(i));
      String next = arguments.get(i + 1);
      boolean takesValue = option != null && option.arity().max() > 0;
      if (takesValue && next.startsWith("-") && next.length() > 1) {
        throw new UsageException(
            needsValue(option, arguments.get(i), ", but found '" + next + "'"));
      }
    }
  }

  /** The last spelling of an option on a line; its first name when the line has none. */
  private static String typed(ArgSpec argument, List<String> arguments) {
    if (!(argument instanceof OptionSpec option)) {
      return argument.paramLabel();
    }
    List<String> names = List.of(option.names());
    int end = arguments.contains("--") ? arguments.indexOf("--") : arguments.size();
    return arguments.subList(0, end).stream()
        .map(word -> word.replaceFirst("(?s)=.*", ""))
        .filter(names::contains)
        .reduce((first, second) -> second)
        .orElse(names.get(0));
  }

  /** An option as the user has spelled it, for messages: -limit or --limit. */
  public String typed(String option) {
    return typed(commandLine.getCommandSpec().optionsMap().get(option), result.originalArgs());
  }

  public boolean has(String option) {
    return result.hasMatchedOption(option);
  }

  public boolean has(TransferOption<?> option) {
    return has(option.name());
  }

  /** Whether an option has this value. */
  public boolean has(TransferOption<?> option, String value) {
    return value(option.name()).filter(value::equals).isPresent();
  }

  /**
   * Refuses options.
   *
   * @param text follows the name of the option in the message
   */
  public void refuse(List<String> options, String text) throws UsageException {
    for (String option : options) {
      if (has(option)) {
        throw new UsageException(typed(option) + text);
      }
    }
  }

  /** The last value of an option. */
  public Optional<String> value(String option) {
    return values(option).stream().reduce((first, second) -> second);
  }

  /** All values of an option, in their order. */
  public List<String> values(String option) {
    return has(option) ? List.copyOf(result.matchedOption(option).stringValues()) : List.of();
  }

  /**
   * One use of an option.
   *
   * @param option by its first name
   */
  public record Given(String option, String value) {}

  /** Each use of some options, in the order in which they stand on the line. */
  public List<Given> inOrder(String... options) {
    List<Given> given = new ArrayList<>();
    List<String> words = result.originalArgs();
    int end = words.contains("--") ? words.indexOf("--") : words.size();
    for (int i = 0; i < end; i++) {
      for (String option : options) {
        if (words.get(i).equals(option)) {
          given.add(new Given(option, words.get(i + 1)));
        } else if (words.get(i).startsWith(option + "=")) {
          given.add(new Given(option, words.get(i).substring(option.length() + 1)));
        }
      }
    }
    return given;
  }

  /** The operands in their order. */
  public List<String> operands() {
    return operands;
  }

  public int verbosity() {
    return has("-vvv") ? 3 : has("-vv") ? 2 : has("-v") ? 1 : 0;
  }

  /** Whether the line asks for help. */
  public boolean isForHelp() {
    return result.isUsageHelpRequested();
  }

  /** Whether the line asks for the version. */
  public boolean isForVersion() {
    return result.isVersionHelpRequested();
  }

  /** The help that the line asks for. */
  public String usage() {
    return UsageText.of(commandLine, typed(Options.HELP).equals(Options.HELP_ALL));
  }
}
