package io.fdt.e2e.sync;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.e2e.JsonLines;
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
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** What is overwritten or deleted is moved aside, three directories down, in both directions. */
class BackupTest {
  private static final String SOURCE =
      """
      mkdir -p a/b/c; cd a/b/c
      printf new > file; printf new > waslink; ln -s new link; ln -s new wasfile
      printf new > first; ln first second; printf same > same
      touch -d @1000000 same
      """;

  private static final String DESTINATION =
      """
      mkdir -p a/b/c; chmod 750 a/b; cd a/b/c
      printf old > file; ln -s old waslink; ln -s old link; printf old > wasfile
      printf old2 > second; printf same > same; touch -d @1000000 same
      mkdir -p extra/deep/empty; printf gone > extra/deep/file; ln -s nowhere extra/gone
      mkfifo extra/pipe; touch -d @2000000 extra/deep
      """;

  @RegisterExtension private final Lab lab = new Lab();
  private Path pushed;
  private Path pulled;
  private String address;

  @BeforeEach
  void makeTrees() {
    Shell.run(lab.directory("source"), SOURCE);
    pushed = lab.directory("pushed");
    pulled = lab.directory("pulled");
    for (Path destination : List.of(pushed, pulled)) {
      Shell.run(destination, DESTINATION);
    }
    lab.directory("other");
    RunningCommand server =
        lab.serve("--export", "source", "--export", "pushed:rw", "--export", "other:rw");
    address = "fdt://127.0.0.1:" + server.port();
  }

  /** Five replaced names, and six deleted ones with their directories. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whatIsOverwrittenOrDeletedKeepsItsPathThereAndIsCounted(boolean push) {
    Path destination = push ? pushed : pulled;
    List<String> before = listing(destination);
    String[] options = {"--delete", "--hard-links", "--backup-dir", ".old/today"};

    Outcome dry = copy(push, "--delete", "--hard-links", "--backup-dir", ".old/today", "--dry-run");
    assertThat(listing(destination)).isEqualTo(before);
    assertThat(dry.summary()).endsWith(", 11 would be moved to the backups");
    assertThat(dry.expect(0).out())
        .contains("would move ", " to .old/today")
        .doesNotContain("delete");
    List<JsonNode> deleted =
        JsonLines.of(
            JsonLines.events(
                copy(push, "--delete", "--hard-links", "--backup-dir", ".old/today", "-n", "--json")
                    .expect(0)),
            "deleted");
    assertThat(deleted)
        .isNotEmpty()
        .allMatch(event -> event.get("backups").asString().equals(".old/today"));
    Outcome run = copy(push, options).expect(0);
    assertThat(run.out()).contains("/a/b/c/extra/deep/file to .old/today", ", 11 moved to");
    assertThat(run.out()).doesNotContain("deleted");

    assertThat(listing(destination.resolve(".old")))
        .containsExactly(
            "today d",
            "today/a d",
            "today/a/b d",
            "today/a/b/c d",
            "today/a/b/c/extra d",
            "today/a/b/c/extra/deep d",
            "today/a/b/c/extra/deep/empty d",
            "today/a/b/c/extra/deep/file gone",
            "today/a/b/c/extra/gone -> nowhere",
            "today/a/b/c/extra/pipe p",
            "today/a/b/c/file old",
            "today/a/b/c/link -> old",
            "today/a/b/c/second old2",
            "today/a/b/c/wasfile old",
            "today/a/b/c/waslink -> old");
    assertThat(listing(destination.resolve("a")))
        .isEqualTo(listing(lab.root().resolve("source/a")));
    assertThat(text(destination, "cd .old/today/a/b; stat -c %a .; stat -c %Y c/extra/deep"))
        .isEqualTo("750\n2000000\n");

    List<String> once = listing(destination);
    copy(push, options).expect(0);
    assertThat(listing(destination)).isEqualTo(once);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void olderBackupsStay(boolean push) {
    Path destination = push ? pushed : pulled;
    Shell.run(
        destination,
        "mkdir -p .old/1/a/b/c/file/within .old/0; printf x > .old/1/a/b/c/extra;"
            + " printf x > .old/1/a/b/c/link; printf kept > .old/0/kept");

    copy(push, "--delete", "--backup-dir", ".old/1").expect(0);

    assertThat(listing(destination.resolve(".old")))
        .contains(
            "0/kept kept",
            "1/a/b/c/file/within d",
            "1/a/b/c/file.~1~ old",
            "1/a/b/c/link x",
            "1/a/b/c/link.~1~ -> old",
            "1/a/b/c/extra.~1~ x",
            "1/a/b/c/extra/pipe p");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aDryRunKeepsTheDirectoriesAboveMissingBackups(boolean push) {
    Path destination = push ? pushed : pulled;
    String absolute = push ? "/pushed/.old/2/deep" : destination.resolve(".old/2/deep").toString();
    Shell.run(destination, "rm -rf a; mkdir -p .old/1; printf kept > .old/1/kept; printf x > gone");

    for (String backups : List.of(".old/2", absolute)) {
      Outcome dry = copy(push, "--delete", "--max-delete", "1", "--backup-dir", backups, "-n");
      assertThat(dry.expect(0).summary()).endsWith(", 1 would be moved to the backups");
      assertThat(dry.out()).contains("gone to " + backups).doesNotContain(".old to ");
    }
    copy(push, "--delete", "--max-delete", "1", "--backup-dir", ".old/2").expect(0);
    assertThat(listing(destination.resolve(".old"))).contains("1/kept kept", "2/gone x");
  }

  @Test
  void aServerTakesAnotherPlaceInTheSameExport() {
    Shell.run(pushed, "mkdir data; mv a data");

    String there = address + "/pushed/data/";
    lab.run(lab.root(), "copy", "-r", "--backup-dir", "/pushed/bak", "source/", there).expect(0);

    assertThat(listing(pushed.resolve("bak"))).contains("a/b/c/file old", "a/b/c/link -> old");
  }

  @Test
  void thisMachineTakesAPlaceBesideTheDestinationInFdtsSpellingToo() {
    String port = address.substring(address.lastIndexOf(':') + 1);
    lab.run(
            lab.root(),
            "-c",
            "127.0.0.1",
            "-p",
            port,
            "-r",
            "--backup-dir",
            "../bak/1",
            "-pull",
            "-d",
            "pulled",
            "/source/")
        .expect(0);
    assertThat(listing(lab.root().resolve("bak/1"))).contains("a/b/c/file old");
  }

  /**
   * Each row: where backups should go in a push and a pull, the exit status, what the line says.
   */
  @ParameterizedTest
  @CsvSource({
    "true, ../old, 4, '..'",
    "true, a/../../old, 4, '..'",
    "true, /source/old, 4, read-only",
    "true, /other/old, 4, another export",
    "true, ., 2, the destination or holds it",
    "true, /pushed, 2, the destination or holds it",
    "true, a/b/c/file, 1, a directory is needed",
    "true, way, 1, a directory is needed",
    "false, ., 2, the destination or holds it",
    "false, .., 2, the destination or holds it",
    "false, /, 2, the destination or holds it",
    "false, a/../x, 4, '..'",
    "false, way/x, 1, a directory is needed",
    "false, /proc/self/fd, 2, another file system",
    "false, .fdt-0123456789abcdef.part, 1, unfinished files",
  })
  void elsewhereTheyDoNotGoAndNothingIsChanged(
      boolean push, String where, int status, String says) {
    Path destination = push ? pushed : pulled;
    Shell.run(
        lab.root(), "mkdir outside; for d in pushed pulled; do ln -s ../outside $d/way; done");
    List<String> before = listing(destination);

    Outcome refused = copy(push, "--delete", "--backup-dir", where);

    assertThat(refused.status()).as("%s", refused).isEqualTo(status);
    assertThat(refused.err()).contains(says);
    assertThat(listing(destination)).isEqualTo(before);
    assertThat(listing(lab.root().resolve("outside"))).isEmpty();
    assertThat(listing(lab.root().resolve("other"))).isEmpty();
  }

  @Test
  void whoMayOnlyReadMovesNothing() {
    RunningCommand server = lab.serve("--export", "source", "--export", "pushed:ro");
    address = "fdt://127.0.0.1:" + server.port();
    List<String> before = listing(pushed);

    Outcome refused = copy(true, "--backup-dir", "old");

    assertThat(refused.status()).as("%s", refused).isEqualTo(4);
    assertThat(listing(pushed)).isEqualTo(before);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aDatasetDoesNotMixWithBackups(boolean push) {
    Path destination = push ? pushed : pulled;

    Outcome mixed = copy(push, "--backup-dir", "a/b");

    assertThat(mixed.status()).as("%s", mixed).isEqualTo(1);
    assertThat(mixed.err()).contains("is the directory for backups");
    assertThat(listing(destination)).contains("a/b/c/file old");
  }

  @Test
  void noPathIsAUsageError() {
    Outcome outcome = lab.run(lab.root(), "copy", "--backup-dir", "", "x", "127.0.0.1:/y");
    assertThat(outcome.status()).isEqualTo(2);
    assertThat(outcome.err()).contains("--backup-dir: an empty path");
  }

  private Outcome copy(boolean push, String... options) {
    List<String> words = new ArrayList<>(List.of("copy", "-r"));
    words.addAll(List.of(options));
    words.addAll(
        push ? List.of("source/", address + "/pushed/") : List.of(address + "/source/", "pulled/"));
    return lab.run(lab.root(), words.toArray(String[]::new));
  }

  /** Each path with what is there: content of a file, target of a link, letter of anything else. */
  private static List<String> listing(Path directory) {
    return text(
            directory,
            """
            find . -mindepth 1 -printf '%P\\n' | LC_ALL=C sort | while read -r path; do
              if [ -L "$path" ]; then echo "$path -> $(readlink "$path")"
              elif [ -f "$path" ]; then echo "$path $(cat "$path")"
              else echo "$path $(stat -c %A "$path" | cut -c1)"; fi
            done
            """)
        .lines()
        .toList();
  }

  private static String text(Path directory, String script) {
    return new String(Shell.run(directory, script), StandardCharsets.UTF_8);
  }
}
