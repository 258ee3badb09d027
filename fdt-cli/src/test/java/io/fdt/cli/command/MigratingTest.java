package io.fdt.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.run.Help;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** docs/MIGRATING.md promises commands: each of them is one. */
class MigratingTest {
  private static final Pattern COMMAND = Pattern.compile("`fdt ([^`]+)`");
  private static final Pattern WORD = Pattern.compile("'([^']*)'|(\\S+)");

  /** What the commands read. */
  private static final GivenSurroundings FILES =
      new GivenSurroundings(Map.of("list", "a\nb\n"), Map.of());

  static Stream<String> commands() throws IOException {
    Path directory = Path.of("").toAbsolutePath();
    while (!Files.exists(directory.resolve("docs/MIGRATING.md"))) {
      directory = directory.getParent();
    }
    return COMMAND
        .matcher(Files.readString(directory.resolve("docs/MIGRATING.md")))
        .results()
        .map(found -> found.group(1));
  }

  private static List<String> words(String line) {
    List<String> words = new ArrayList<>();
    Matcher word = WORD.matcher(line);
    while (word.find()) {
      words.add(word.group(1) == null ? word.group(2) : word.group(1));
    }
    return words;
  }

  @Test
  void thereAreCommandsOfAllThree() throws IOException {
    assertThat(commands()).hasSizeGreaterThan(60);
  }

  @ParameterizedTest
  @MethodSource("commands")
  void isOne(String line) throws UsageException {
    // A command whose name alone is quoted, as in "from fdt token create".
    List<String> words =
        line.equals("token create") ? List.of("token", "create", "x") : words(line);
    assertThat(Subcommands.parse(words, FILES).command()).isNotInstanceOf(Help.class);
  }
}
