package io.fdt.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** docs/WALK.md names classes and methods that exist, and stays short. */
class WalkTest {
  private static final Pattern NAME = Pattern.compile("`([a-z.]+)\\.([A-Z]\\w+)\\.(\\w+)`");

  @Test
  void everyNameExists() throws Exception {
    Path page = Path.of("..", "docs", "WALK.md");
    List<MatchResult> names = NAME.matcher(Files.readString(page)).results().toList();
    assertThat(names).hasSizeGreaterThan(30);
    for (MatchResult name : names) {
      Class<?> type =
          Class.forName(
              "io.fdt.core." + name.group(1) + "." + name.group(2),
              false,
              WalkTest.class.getClassLoader());
      assertThat(Arrays.stream(type.getDeclaredMethods()).map(method -> method.getName()))
          .as(name.group())
          .contains(name.group(3));
    }
    assertThat(Files.readString(page).split("\\s+")).hasSizeLessThanOrEqualTo(650);
  }
}
