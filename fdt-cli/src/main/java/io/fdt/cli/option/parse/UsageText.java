package io.fdt.cli.option.parse;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/** The help of a command; also a short form, when the whole help exceeds a page. Pure. */
final class UsageText {
  private static final int PAGE_LINES = 60;

  /** Characters after or before which picocli would break a word: host[:port]:/path. */
  private static final String BREAKING = "-:/?=|.[]()'\"+,;*~@#!<>_&^";

  /** One of them inside a word. */
  private static final Pattern INSIDE =
      Pattern.compile("(?<=\\S)[" + Pattern.quote(BREAKING) + "](?=\\S)");

  /** A letter of no help, which stands for the first of {@link #BREAKING}. */
  private static final char UNBROKEN = '\uA4D0';

  private static final Pattern FIRST_CLAUSE =
      Pattern.compile("(?s)((?:[^(.;]|\\([^)]*\\)|[.;](?!\\s))+)[.;]\\s.*");

  private UsageText() {}

  static String of(CommandLine commandLine, boolean isWhole) {
    commandLine.setSeparator(" ");
    String whole = text(commandLine, false);
    return isWhole || whole.lines().count() <= PAGE_LINES ? whole : text(commandLine, true);
  }

  private static String text(CommandLine commandLine, boolean isShort) {
    var sections = commandLine.getHelpSectionMap();
    sections.put(UsageMessageSpec.SECTION_KEY_OPTION_LIST, help -> options(help, isShort));
    sections.put(UsageMessageSpec.SECTION_KEY_PARAMETER_LIST, help -> operands(help, isShort));
    sections.put(UsageMessageSpec.SECTION_KEY_FOOTER, help -> footer(help, isShort));
    return commandLine.setHelpSectionMap(sections).getUsageMessage(Help.Ansi.OFF);
  }

  private static String options(Help help, boolean isShort) {
    StringBuilder text = new StringBuilder();
    for (OptionGroup group : OptionGroup.values()) {
      List<OptionSpec> options = group.options(help.commandSpec(), isShort);
      if (!options.isEmpty()) {
        text.append('\n').append(group.heading).append(":\n");
        text.append(
            help.optionListExcludingGroups(
                options.stream().map(option -> shown(option, isShort)).toList(),
                help.createDefaultLayout(),
                null,
                help.createDefaultParamLabelRenderer()));
      }
    }
    return broken(text.toString());
  }

  private static String operands(Help help, boolean isShort) {
    return broken(
        help.parameterList(
            help.commandSpec().positionalParameters().stream()
                .map(
                    operand ->
                        PositionalParamSpec.builder(operand)
                            .description(shown(operand.description(), isShort))
                            .build())
                .toList()));
  }

  private static OptionSpec shown(OptionSpec option, boolean isShort) {
    return OptionSpec.builder(option).description(shown(option.description(), isShort)).build();
  }

  private static String[] shown(String[] description, boolean isShort) {
    String text = String.join("\n", isShort ? firstClause(description) : description);
    return INSIDE
        .matcher(text)
        .replaceAll(
            found ->
                Character.toString((char) (UNBROKEN + BREAKING.indexOf(found.group().charAt(0)))))
        .split("\n", -1);
  }

  /** The text with the characters that were hidden from picocli's line breaks. */
  private static String broken(String text) {
    String whole = text;
    for (int i = 0; i < BREAKING.length(); i++) {
      whole = whole.replace((char) (UNBROKEN + i), BREAKING.charAt(i));
    }
    return whole;
  }

  /** A description up to a full stop or semicolon outside of brackets. */
  private static String[] firstClause(String[] description) {
    Matcher clause = FIRST_CLAUSE.matcher(String.join("\n", description));
    return clause.matches() ? (clause.group(1) + ".").split("\n", -1) : description;
  }

  /** The paragraphs below the options; of a short help the first, and the examples. */
  private static String footer(Help help, boolean isShort) {
    CommandSpec spec = help.commandSpec();
    if (!isShort) {
      return help.footer();
    }
    List<String> parts =
        List.of(String.join("\n", spec.usageMessage().footer()).strip().split("\n\n"));
    String rest =
        "\n\nAll options: java -jar fdt.jar%s --help-all\n"
            .formatted(spec.name().substring("fdt".length()));
    return parts.stream()
        .filter(part -> part.equals(parts.get(0)) || part.startsWith("Example"))
        .collect(Collectors.joining("\n\n", "\n", rest));
  }
}
