package io.fdt.layering;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** How long a source file may be before a part of it becomes a file of its own. */
class SourceLengthTest {
  private static final int MOST_LINES = 450;

  @Test
  void noSourceOfTheProductIsTooLong() throws IOException {
    List<String> tooLong = new ArrayList<>();
    for (String module :
        List.of(
            "fdt-core",
            "fdt-server",
            "fdt-client",
            "fdt-nio",
            "fdt-json",
            "fdt-plan",
            "fdt-cli",
            "fdt-spark",
            "fdt-service")) {
      try (Stream<Path> sources =
          Files.find(
              root().resolve(module).resolve("src/main/java"),
              Integer.MAX_VALUE,
              (path, attributes) -> path.toString().endsWith(".java"))) {
        for (Path source : sources.toList()) {
          long lines = Files.readString(source).lines().count();
          if (lines > MOST_LINES) {
            tooLong.add(source.getFileName() + ": " + lines);
          }
        }
      }
    }
    assertThat(tooLong).isEmpty();
  }

  /** The tests run in the directory of their module. */
  private static Path root() {
    return Path.of("").toAbsolutePath().getParent();
  }
}
