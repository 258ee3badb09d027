package io.fdt.e2e.sync;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.e2e.JsonLines;
import io.fdt.e2e.Lab;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Shell;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Which files stay as they are at the destination, in both directions, three directories down. */
class SyncTest {
  /**
   * Each file is named for how the one at the destination differs; all hold "new" at the source.
   */
  private static final String SOURCE =
      """
      mkdir -p a/b/c; cd a/b/c
      for f in same missing older newer longer link; do printf new > $f; touch -d @1000000 $f; done
      ln -s target tolink
      """;

  private static final String DESTINATION =
      """
      mkdir -p a/b/c; cd a/b/c
      printf new > same; touch -d @1000000 same
      printf old > older; touch -d @999999 older
      printf old > newer; touch -d @1000001 newer
      printf long > longer; touch -d @999999 longer
      ln -s nowhere link; touch -h -d @999999 link
      printf old > tolink; touch -d @999999 tolink
      """;

  /** What is asked for, and what has come afterwards. */
  private record Row(List<String> options, String... came) {
    @Override
    public String toString() {
      return String.join(" ", options);
    }
  }

  @RegisterExtension private final Lab lab = new Lab();

  static List<Row> rows() {
    return List.of(
        new Row(List.of(), "link", "longer", "missing", "newer", "older", "tolink"),
        new Row(
            List.of("--sync", "mtime"), "link", "longer", "missing", "newer", "older", "tolink"),
        new Row(
            List.of("--sync", "checksum"), "link", "longer", "missing", "newer", "older", "tolink"),
        new Row(List.of("--sync", "size"), "link", "longer", "missing", "tolink"),
        new Row(List.of("--sync=exists"), "missing"),
        new Row(List.of("--ignore-existing"), "missing"),
        new Row(List.of("--update"), "link", "longer", "missing", "older", "tolink"),
        new Row(List.of("--update", "--sync", "size"), "link", "longer", "missing", "tolink"));
  }

  @ParameterizedTest
  @MethodSource("rows")
  void sameFilesComeInBothDirections(Row row) {
    Path source = lab.directory("source");
    Shell.run(source, SOURCE);
    Path pushed = lab.directory("pushed");
    Path pulled = lab.directory("pulled");
    for (Path destination : List.of(pushed, pulled)) {
      Shell.run(destination, DESTINATION);
    }
    RunningCommand server = lab.serve("--export", source.toString(), "--export", pushed + ":rw");
    String address = "fdt://127.0.0.1:" + server.port();

    copy(row, "source/", address + "/pushed/");
    copy(row, address + "/source/", "pulled/");

    assertThat(came(pushed)).containsExactly(row.came());
    assertThat(came(pulled)).containsExactly(row.came());
  }

  @Test
  void filesThatStayForAnotherReasonAreNotCalledUnchanged() {
    Shell.run(lab.directory("source"), "printf newer > f; touch -d @1000000 f; cp -p f same");
    for (String destination : List.of("pushed", "pulled")) {
      Shell.run(lab.directory(destination), "printf old > f; cp -p ../source/same .");
    }
    RunningCommand server = lab.serve("--export", "source", "--export", "pushed:rw");
    String address = "fdt://127.0.0.1:" + server.port();
    for (String[] ends :
        new String[][] {
          {"source/", address + "/pushed/"},
          {address + "/source/", "pulled/"},
          {address + "/source/", address + "/pushed/"}
        }) {
      for (String run : List.of("-ru", "-run")) {
        assertThat(lab.run(lab.root(), "copy", run, ends[0], ends[1]).expect(0).summary())
            .contains(", 1 kept: newer than the source, 1 unchanged by size and time");
      }
      assertThat(
              JsonLines.of(
                  JsonLines.events(
                      lab.run(lab.root(), "copy", "-ru", "--json", ends[0], ends[1]).expect(0)),
                  "file"))
          .extracting(file -> file.get("unchanged_by").asString())
          .containsExactlyInAnyOrder("newer", "size-and-time");
      assertThat(
              lab.run(lab.root(), "copy", "-r", "--ignore-existing", ends[0], ends[1])
                  .expect(0)
                  .summary())
          .endsWith(", 2 kept: exist already");
    }
  }

  private void copy(Row row, String from, String to) {
    List<String> words = new ArrayList<>(List.of("copy", "-r"));
    words.addAll(row.options());
    words.addAll(List.of(from, to));
    lab.run(lab.root(), words.toArray(String[]::new)).expect(0);
  }

  /** Files that are those of the source now, but for the one that always was. */
  private static List<String> came(Path destination) {
    byte[] listed =
        Shell.run(
            destination,
            """
            cd a/b/c; for f in *; do
              if [ -L $f ]; then [ "$(readlink $f)" = target ] && echo $f || true
              elif [ $f != same ]; then grep -qx new $f && echo $f || true; fi
            done | sort
            """);
    return new String(listed, StandardCharsets.UTF_8).lines().toList();
  }
}
