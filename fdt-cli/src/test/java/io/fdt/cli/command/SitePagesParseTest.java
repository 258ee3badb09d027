package io.fdt.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.cli.option.UsageException;
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

/** Commands of the tutorial and the how-to pages, those too that no test can run. */
class SitePagesParseTest {
  private static final Pattern COMMAND = Pattern.compile("(?m)^fdt (.+)$");
  private static final Pattern WORD = Pattern.compile("'([^']*)'|\"([^\"]*)\"|(\\S+)");

  static Stream<String> commands() throws IOException {
    Path directory = Path.of("").toAbsolutePath();
    while (!Files.exists(directory.resolve("docs/TUTORIAL.md"))) {
      directory = directory.getParent();
    }
    StringBuilder text = new StringBuilder();
    try (Stream<Path> pages = Files.list(directory.resolve("docs/howto"))) {
      for (Path page : pages.sorted().toList()) {
        text.append(Files.readString(page));
      }
    }
    text.append(Files.readString(directory.resolve("docs/TUTORIAL.md")));
    return COMMAND.matcher(text).results().map(found -> found.group(1));
  }

  @Test
  void thereAreCommandsOfAllPages() throws IOException {
    assertThat(commands()).hasSizeGreaterThan(60);
  }

  @ParameterizedTest
  @MethodSource("commands")
  void isOne(String line) throws UsageException {
    List<String> words = new ArrayList<>();
    Matcher word = WORD.matcher(line);
    while (word.find()) {
      words.add(
          word.group(1) != null
              ? word.group(1)
              : word.group(2) != null ? word.group(2) : word.group(3));
    }
    GivenSurroundings files =
        new GivenSurroundings(Map.of("SHA256SUMS", "0".repeat(64) + "  a"), Map.of());
    Operation operation = Subcommands.parse(words, files).command();
    assertThat(operation).isNotInstanceOf(Operation.Help.class);
  }
}
