package io.fdt.style;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The rule for units in docs/OPTIONS.md: sizes and rates have one formatter. */
class UnitsTest {
  /** The formatter, the readers of rates with their examples, and the names of digests. */
  private static final Set<String> ALLOWED =
      Set.of("NumberText.java", "BitRate.java", "RateSchedule.java", "DigestMethod.java");

  private static final String UNIT = "([KMGTPE]i?B|[kKMGTP]?i?bit|B)(/s|ps)?\\b";

  /** A unit after the place of a number, or at the start of a text that follows a number. */
  private static final Pattern FORMAT = Pattern.compile("%[-,.0-9]*[a-z] ?" + UNIT + "|^ ?" + UNIT);

  private static final Pattern LITERAL = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"");

  @Test
  void onlyTheFormatterWritesUnits() throws IOException {
    Path root = Path.of("").toAbsolutePath().getParent();
    List<Path> sources = sources(root);
    List<String> found = new ArrayList<>();
    for (Path source : sources) {
      int number = 0;
      for (String line : Files.readAllLines(source)) {
        number++;
        Matcher literal = LITERAL.matcher(line);
        while (literal.find()) {
          if (FORMAT.matcher(literal.group(1)).find()) {
            found.add(root.relativize(source) + ":" + number + " " + literal.group());
          }
        }
      }
    }
    assertThat(sources).hasSizeGreaterThan(500);
    assertThat(found)
        .filteredOn(where -> ALLOWED.stream().noneMatch(where::contains))
        .as("use NumberText")
        .isEmpty();
    assertThat(found).as("the scan sees the formatter").anyMatch(one -> one.contains("NumberText"));
  }

  private static List<Path> sources(Path root) throws IOException {
    List<Path> sources = new ArrayList<>();
    try (Stream<Path> modules = Files.list(root)) {
      for (Path module :
          modules.filter(path -> path.getFileName().toString().startsWith("fdt-")).toList()) {
        Path main = module.resolve("src/main/java");
        if (Files.isDirectory(main)) {
          try (Stream<Path> files = Files.walk(main)) {
            files.filter(file -> file.toString().endsWith(".java")).forEach(sources::add);
          }
        }
      }
    }
    return sources;
  }
}
