package io.fdt.e2e.tree;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.storage.FaultyMount;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Shell;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Destinations that take two names for one. */
class FoldedNamesTest {
  private static final String OF_TWO = "would replace another name of the source";

  @RegisterExtension private final Lab lab = new Lab();

  @ParameterizedTest
  @ValueSource(strings = {"push", "pull", "third party"})
  void theSecondOfTwoNamesThatAreOneFailsByNameAndNothingIsLost(String way) {
    Shell.run(
        lab.directory("source"),
        """
        mkdir -p dir Dir deep/sub; echo large > A.txt; echo small > a.txt; echo 1 > dir/one
        echo 2 > Dir/two; echo x > deep/sub/x; echo X > deep/sub/X; echo r > deep/README
        """);
    try (FaultyMount mount = FaultyMount.over(lab.directory("backing"))) {
      mount.foldNames();
      Shell.run(mount.path(), "echo old > stale; mkdir deep; echo old > deep/Readme");
      String[] copy = copy(way, mount.path());

      for (int run = 0; run < 2; run++) {
        Outcome copied = lab.run(lab.root(), with(copy, "--delete")).expect(1);
        assertThat(copied.problems().stream().filter(line -> line.contains(OF_TWO)))
            .as("run %d", run)
            .hasSize(3);
        assertThat(copied.out()).contains(run == 0 ? "4 of 7 files" : "0 of 7 files, 0 B");
      }
      assertThat(text(mount.path(), "cat stale A.txt a.txt dir/* deep/sub/x deep/Readme | sort -u"))
          .as("one content of each two, and nothing was deleted")
          .contains("old", "r")
          .containsAnyOf("large", "small")
          .containsAnyOf("1", "2");

      Shell.run(lab.root(), "cd source; rm -r Dir a.txt dir A.txt deep/sub/X; echo n > A.TXT");
      Shell.run(lab.root(), "cd source; mkdir DIR; echo 1 > DIR/One");
      Outcome renamed = lab.run(lab.root(), with(copy, "--delete")).expect(0);
      assertThat(renamed.out()).contains("deleted", "stale");
      assertThat(text(mount.path(), "cat A.TXT dir/one deep/readme deep/sub/x"))
          .isEqualTo("n\n1\nr\nx\n");
      assertThat(lab.run(lab.root(), with(copy, "--delete")).expect(0).out())
          .contains("0 files, 0 B")
          .doesNotContain("deleted");
      assertThat(text(lab.root(), "ls -AR backing")).doesNotContain(".fdt-");
    }
  }

  /** As HFS+ and some servers do. */
  @Test
  void anAccentThatIsKeptInAnotherFormIsNotDeletedAndNotCopiedAgain() {
    Shell.run(lab.directory("source"), "printf one > $'e\\xcc\\x81'; printf x > y");
    try (FaultyMount mount = FaultyMount.over(lab.directory("backing"))) {
      mount.composeNames();
      String[] copy = copy("pull", mount.path());
      lab.run(lab.root(), with(copy, "--delete")).expect(0);
      assertThat(lab.run(lab.root(), with(copy, "--delete")).expect(0).out())
          .contains("0 files, 0 B", "2 unchanged")
          .doesNotContain("deleted");
      assertThat(text(lab.root(), "ls -A backing; cat backing/*")).isEqualTo("y\n\u00e9\nxone");

      Shell.run(lab.root(), "printf two > source/$'\\xc3\\xa9'");
      Outcome both = lab.run(lab.root(), with(copy, "--delete")).expect(1);
      assertThat(both.problems()).singleElement().asString().contains(OF_TWO);
    }
  }

  /** As exFAT by FUSE does. */
  @Test
  void aFileSystemThatGivesEachSpellingAnInodeOfItsOwnFoldsNamesToo() {
    Shell.run(lab.directory("source"), "printf one > Case; printf x > y");
    try (FaultyMount mount = FaultyMount.over(lab.directory("backing"))) {
      mount.foldNames();
      mount.spellInodes();
      String[] copy = copy("push", mount.path());
      lab.run(lab.root(), with(copy, "--delete")).expect(0);
      Shell.run(lab.root(), "mv source/Case source/case");
      assertThat(lab.run(lab.root(), with(copy, "--delete")).expect(0).out())
          .contains("0 files, 0 B", "2 unchanged")
          .doesNotContain("deleted");
      Shell.run(lab.root(), "printf two > source/CASE");
      Outcome both = lab.run(lab.root(), copy).expect(1);
      assertThat(both.problems()).singleElement().asString().contains(OF_TWO);
    }
  }

  /** Nothing is looked at more closely there. */
  @Test
  void aFileSystemThatTellsNamesApartGetsAllOfThemAndLosesStaleSpellings() {
    Shell.run(
        lab.directory("source"), "mkdir d D; echo 1 > a; echo 2 > A; echo 3 > d/x; echo 4 > D/x");
    Shell.run(lab.directory("copied"), "mkdir d; echo old > d/X");
    String[] copy = copy("push", lab.root().resolve("copied"));
    assertThat(lab.run(lab.root(), with(copy, "--delete")).expect(0).out()).contains("1 deleted");
    assertThat(text(lab.root(), "diff -r source copied; ls -A copied | wc -l")).isEqualTo("4\n");
  }

  private String[] copy(String way, Path copied) {
    RunningCommand server =
        lab.serve(
            "--export",
            "source=" + lab.root().resolve("source") + ":ro",
            "--export",
            "copied=" + copied + ":rw",
            "--dial-to",
            "127.0.0.1");
    String address = "fdt://127.0.0.1:" + server.port();
    return new String[] {
      "copy",
      "-r",
      way.equals("push") ? "source/" : address + "/source/",
      way.equals("pull") ? copied + "/" : address + "/copied/"
    };
  }

  private static String[] with(String[] copy, String... options) {
    List<String> words = new ArrayList<>(List.of(copy));
    words.addAll(1, List.of(options));
    return words.toArray(String[]::new);
  }

  private static String text(Path directory, String script) {
    return new String(Shell.run(directory, script), StandardCharsets.UTF_8);
  }
}
