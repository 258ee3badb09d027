package io.fdt.e2e.copy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Shell;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Which files of a tree are copied, in both directions: by pattern, size, age and depth. */
class SelectionTest {
  private static final String TREE =
      """
      mkdir -p build/deep src/build src/sub/deeper
      printf 1 > build/a.o; printf 1 > build/deep/x; printf 1 > src/a.c; printf 1 > src/a.o
      printf 1 > src/build/keep.o; printf 1 > src/sub/b.c; printf 1 > src/sub/deeper/c.c
      head -c 2000 /dev/zero > large; printf 1 > old; touch -d '10 days ago' old; ln -s large link
      """;

  /** What is asked for and which files and links come. */
  private record Row(List<String> options, String... files) {
    @Override
    public String toString() {
      return String.join(" ", options);
    }
  }

  @RegisterExtension private final Lab lab = new Lab();
  private Path source;

  static List<Row> rows() {
    return List.of(
        new Row(
            List.of("--exclude", "*.o"),
            "build/deep/x",
            "large",
            "link",
            "old",
            "src/a.c",
            "src/sub/b.c",
            "src/sub/deeper/c.c"),
        new Row(
            List.of("--exclude", "/build/", "--exclude=*.c"),
            "large",
            "link",
            "old",
            "src/a.o",
            "src/build/keep.o"),
        new Row(
            List.of("--include", "keep.o", "--exclude", "*.[oc]", "--exclude", "l*"),
            "build/deep/x",
            "old",
            "src/build/keep.o"),
        new Row(
            List.of("--include", "*/", "--include", "*.c", "--exclude", "*"),
            "src/a.c",
            "src/sub/b.c",
            "src/sub/deeper/c.c"),
        new Row(List.of("--min-size", "1K", "--exclude", "link"), "large"),
        new Row(
            List.of("--max-size", "1K", "--exclude", "src", "--exclude", "build"), "link", "old"),
        new Row(List.of("--min-age", "9d", "--exclude", "link"), "old"),
        new Row(List.of("--max-age", "9d", "--max-depth", "1"), "large", "link"),
        new Row(List.of("--max-depth", "1", "--one-file-system"), "large", "link", "old"));
  }

  @BeforeEach
  void makeTree() {
    source = lab.directory("source");
    Shell.run(source, TREE);
  }

  @ParameterizedTest
  @MethodSource("rows")
  void sameFilesComeInBothDirections(Row row) {
    Path pushed = lab.directory("pushed");
    Path pulled = lab.directory("pulled");
    RunningCommand server = lab.serve("--export", source.toString(), "--export", pushed + ":rw");
    String address = "fdt://127.0.0.1:" + server.port();
    assertThat(copy(row, source + "/", address + "/pushed/").status()).isZero();
    assertThat(copy(row, address + "/source/", pulled + "/").status()).isZero();
    assertThat(files(pushed)).containsExactly(row.files());
    assertThat(files(pulled)).containsExactly(row.files());
  }

  @Test
  void patternsThatMatchNothingAndBoundsThatAreNoneAreUsageErrors() {
    for (List<String> wrong :
        List.of(
            List.of("--exclude", "[a"),
            List.of("--include", "a//b"),
            List.of("--max-age", "soon"),
            List.of("--max-depth", "0"),
            List.of("--min-size", "many"))) {
      Outcome outcome = copy(new Row(wrong), source + "/", "fdt://127.0.0.1:1/x");
      assertThat(outcome.status()).as("%s", outcome).isEqualTo(2);
      assertThat(outcome.err()).startsWith("fdt: copy: " + wrong.get(0) + ": ");
    }
  }

  private Outcome copy(Row row, String from, String to) {
    List<String> words = new ArrayList<>(List.of("copy", "-r"));
    words.addAll(row.options());
    words.addAll(List.of(from, to));
    return lab.run(lab.root(), words.toArray(String[]::new));
  }

  private static List<String> files(Path directory) {
    byte[] listed = Shell.run(directory, "find . -not -type d -printf '%P\\n' | sort");
    return new String(listed, StandardCharsets.UTF_8).lines().toList();
  }
}
