package io.fdt.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.output.TerminalText;
import io.fdt.cli.run.Help;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The help of each subcommand fits its page, and its long form leaves nothing out. */
class HelpTest {
  private static final int WIDTH = 80;
  private static final Map<String, CommandSpec> COMMANDS = commands();

  private static Map<String, CommandSpec> commands() {
    try {
      return Subcommands.commands(GivenSurroundings.NONE);
    } catch (UsageException e) {
      throw new AssertionError(e);
    }
  }

  static Set<String> subcommands() {
    Set<String> names = new TreeSet<>(COMMANDS.keySet());
    names.remove("");
    return names;
  }

  private static String help(String line) throws UsageException {
    List<String> words = new ArrayList<>(List.of(line.split(" ")));
    words.remove("");
    return ((Help) Subcommands.parse(words, GivenSurroundings.NONE).command()).text();
  }

  private static void assertFits(String text, int lines) {
    assertThat(text.lines().count()).as(text).isLessThanOrEqualTo(lines);
    assertThat(text.lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(WIDTH));
  }

  @Test
  void overviewFitsAScreen() throws UsageException {
    assertFits(help("--help"), 30);
    assertThat(help("help")).isEqualTo(help("-h")).isEqualTo(help("--help"));
  }

  @ParameterizedTest
  @MethodSource("subcommands")
  void aNarrowTerminalBreaksNoWord(String name) throws UsageException {
    String whole = help(name + " --help-all");
    for (int columns : List.of(40, 60)) {
      String narrow = TerminalText.narrow(whole, columns);
      assertThat(narrow.split("\\s+")).containsExactly(whole.split("\\s+"));
      assertThat(narrow.lines().filter(String::isEmpty))
          .hasSameSizeAs(whole.lines().filter(String::isEmpty).toList());
      assertThat(narrow.lines())
          .allMatch(line -> line.length() <= columns || !line.strip().contains(" "));
    }
  }

  @Test
  void flagsOfTheOriginalAreWhole() throws UsageException {
    String whole = help("help flags");
    assertThat(whole).isEqualTo(help("--help-all"));
    assertThat(whole.lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(WIDTH));
  }

  @ParameterizedTest
  @MethodSource("subcommands")
  void shortHelpIsAPage(String name) throws UsageException {
    assertFits(help(name + " --help"), 60);
    assertThat(help("help " + name)).isEqualTo(help(name + " -h"));
  }

  @ParameterizedTest
  @MethodSource("subcommands")
  void wholeHelpNamesEachOption(String name) throws UsageException {
    String whole = help(name + " --help-all");
    assertFits(whole, Integer.MAX_VALUE);
    for (OptionSpec option : ShellCompletion.options(COMMANDS.get(name))) {
      assertThat(whole).contains(option.names());
    }
  }

  /** Lines that are as wide as in the source are not wrapped again, and words stay whole. */
  @ParameterizedTest
  @MethodSource("subcommands")
  void noLineIsBrokenTwiceOrInAWord(String name) throws UsageException {
    CommandSpec spec = COMMANDS.get(name);
    String[] footer = spec.usageMessage().footer();
    assertThat(footer).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(WIDTH));
    List<String> words = List.of(help(name + " --help-all").split("\\s+"));
    for (OptionSpec option : spec.options()) {
      if (!option.hidden()) {
        assertThat(words)
            .containsAll(List.of(String.join(" ", option.description()).split("\\s+")));
      }
    }
  }

  @Test
  void aSynopsisNamesOnlyItsOwnFlags() throws UsageException {
    assertThat(help("help checksum")).startsWith("Usage: fdt checksum [-r] [options] PATH...");
    assertThat(help("help mkdir")).startsWith("Usage: fdt mkdir [-p] [options] REMOTE...");
    assertThat(help("help token")).contains("--no-third-party").doesNotContain("Who can connect:");
  }

  @ParameterizedTest
  @MethodSource("subcommands")
  void helpOfASubcommandHasAllOptionsToo(String name) throws UsageException {
    assertThat(help("help " + name + " --help-all")).isEqualTo(help(name + " --help-all"));
  }

  @Test
  void cpIsCopy() throws UsageException {
    assertThat(help("cp --help")).isEqualTo(help("help cp")).isEqualTo(help("copy --help"));
  }

  @ParameterizedTest
  @CsvSource({"plan, --detach", "plan, --monitor", "plan, --offset", "sync, --detach"})
  void anOptionThatIsRefusedIsNotInTheHelp(String name, String option) throws UsageException {
    assertThat(help(name + " --help-all").split("\\s+")).doesNotContain(option);
  }

  /** A renamed option would fall out of its group. */
  @Test
  void eachOptionOfACopyHasAGroup() throws UsageException {
    assertThat(help("copy --help-all"))
        .contains("\nWhat to copy:\n")
        .doesNotContain("\nOptions:\n");
  }

  /** A short help shows where the rest is; the options of connections are behind it. */
  @ParameterizedTest
  @CsvSource({
    "copy, What to copy, --exclude, --via",
    "sync, Existing files, --yes, --tls-ca",
    "watch, How fast, --every, --rsh",
    "plan, Where, --dir, --token-file",
    "serve, Who can connect, --export, --tls-key",
    "task, What to copy, --label, --acls",
  })
  void shortHelpHasGroups(String name, String heading, String shown, String left)
      throws UsageException {
    String text = help(name + " -h");
    assertThat(text)
        .contains("\n" + heading + ":\n", shown, name + " --help-all")
        .doesNotContain(left);
  }
}
