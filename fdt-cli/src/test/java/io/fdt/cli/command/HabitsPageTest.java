package io.fdt.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.run.Help;
import io.fdt.cli.run.Invocation;
import io.fdt.cli.run.copy.Copier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each row of the page for users of other tools, given to the parser. */
class HabitsPageTest {
  private static final Path PAGE = Path.of("../docs/HABITS.md");

  /** A row of the table. */
  private record Row(String theirs, String ours, String here) {
    @Override
    public String toString() {
      return theirs + ": " + here;
    }
  }

  static List<Row> rows() throws IOException {
    try (Stream<String> lines = Files.lines(PAGE)) {
      return lines
          .filter(line -> line.matches("\\| [a-z, ]+ \\| `-.*"))
          .map(line -> line.split("\\|"))
          .map(HabitsPageTest::row)
          .toList();
    }
  }

  /** A row without a third cell writes the option as it is. */
  private static Row row(String[] cells) {
    String theirs = bare(cells[2]);
    String ours = bare(cells[3]);
    return new Row(theirs, ours.isEmpty() ? theirs : ours, cells[4].strip());
  }

  private static String bare(String cell) {
    return cell.strip().replace("`", "");
  }

  @Test
  void hasSixtyRowsAndMore() throws IOException {
    assertThat(rows()).hasSizeGreaterThanOrEqualTo(60);
    assertThat(rows().stream().map(Row::theirs)).doesNotHaveDuplicates();
    assertThat(rows().stream().map(Row::here)).containsOnly("same", "always", "other", "none");
  }

  @ParameterizedTest
  @MethodSource("rows")
  void saysWhatTheParserDoes(Row row) throws UsageException {
    if (row.theirs().equals("-h")) {
      assertThat(parse("-h").command()).isInstanceOf(Help.class);
      return;
    }
    switch (row.here()) {
      case "same" -> {
        assertThat(row.ours()).isEqualTo(row.theirs());
        assertThat(parse(row.theirs())).isNotEqualTo(parse(""));
      }
      case "always" ->
          assertThat(spec(row.theirs())).as("%s changes nothing", row).isEqualTo(spec(""));
      default -> {
        assertThatThrownBy(() -> parse(row.theirs())).isInstanceOf(UsageException.class);
        for (String option : options(row.ours())) {
          assertThatThrownBy(() -> parse(row.theirs())).hasMessageContaining(option);
        }
      }
    }
  }

  /** What the page tells to write instead is itself accepted. */
  @Test
  void whatToWriteInsteadIsAnOption() throws IOException {
    List<Row> others = rows().stream().filter(row -> row.here().equals("other")).toList();
    for (Row row : others) {
      for (String option : options(row.ours())) {
        assertThat(CopyCommand.spec().optionsMap()).as("%s", row).containsKey(option);
      }
    }
    assertThatCode(() -> parse("--limit 1000Kbit/s")).doesNotThrowAnyException();
  }

  private static List<String> options(String text) {
    return Arrays.stream(text.split("[ ,]+"))
        .filter(word -> word.matches("--?[a-zA-Z-]+"))
        .filter(word -> !word.equals("-i") || !text.contains("ssh"))
        .toList();
  }

  private static Object spec(String options) throws UsageException {
    return ((Copier) parse(options).command()).copy().request().spec();
  }

  private static Invocation parse(String options) throws UsageException {
    List<String> words = new ArrayList<>(List.of("copy"));
    Stream.of(options.split(" ")).filter(word -> !word.isEmpty()).forEach(words::add);
    boolean isOfSsh = options.startsWith("-e");
    words.addAll(List.of(isOfSsh ? "user@h:x" : "h:x", "."));
    return Subcommands.parse(words, new GivenSurroundings(Map.of("FILE", "- x\n"), Map.of()));
  }
}
