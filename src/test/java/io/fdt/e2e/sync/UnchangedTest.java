package io.fdt.e2e.sync;

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
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Files that are there already get what the source has now, in both directions, and no byte moves.
 */
class UnchangedTest {
  @RegisterExtension private final Lab lab = new Lab();
  private String address;

  @BeforeEach
  void makeTrees() {
    for (String tree : List.of("source", "pushed", "pulled")) {
      Shell.run(
          lab.directory(tree),
          "mkdir -p a/b/c; cd a/b/c; for f in same mode closed owner; do printf data > $f;"
              + " chmod 640 $f; touch -d @1000000 $f; done");
    }
    Shell.run(
        lab.root(),
        """
        cd source/a/b/c; chmod 755 mode; chmod 444 closed; chown 1234:2345 owner
        chmod 4755 owner; chmod 4640 same
        """);
    RunningCommand server =
        lab.serve("--export", "source", "--export", "pushed:rw", "--allow-privileged");
    address = "fdt://127.0.0.1:" + server.port();
  }

  /** Each row: options, and mode and owner of each file afterwards. */
  @ParameterizedTest
  @CsvSource({
    "--sync=mtime, 444 0 / 755 0 / 755 0 / 640 0",
    "--sync=checksum, 444 0 / 755 0 / 755 0 / 640 0",
    "--owner, 444 0 / 755 0 / 755 1234 / 640 0",
    "--preserve=all, 444 0 / 755 0 / 4755 1234 / 4640 0",
    "--sync=checksum --preserve=times, 640 0 / 640 0 / 640 0 / 640 0",
    "--ignore-existing, 640 0 / 640 0 / 640 0 / 640 0",
    "--dry-run, 640 0 / 640 0 / 640 0 / 640 0",
  })
  void theyGetModeAndOwnerWhereThoseAreKept(String options, String after) {
    for (boolean push : List.of(true, false)) {
      Path there = lab.root().resolve(push ? "pushed" : "pulled").resolve("a/b/c");
      assertThat(copy(push, options).out()).containsPattern("0 files.*, 4 (unchanged|kept)");

      String listed = text(there, "stat -c '%a %u' closed mode owner same");
      assertThat(listed.strip().replace("\n", " / ")).isEqualTo(after);
      assertThat(text(there, "cat *; stat -c %Y *"))
          .isEqualTo("data".repeat(4) + "1000000\n".repeat(4));

      String changed = text(there, "stat -c %z *");
      copy(push, options);
      assertThat(text(there, "stat -c %z *")).as("nothing is set again").isEqualTo(changed);
    }
  }

  private Outcome copy(boolean push, String options) {
    List<String> words = new ArrayList<>(List.of("copy", "-r"));
    words.addAll(List.of(options.split(" ")));
    words.addAll(
        push ? List.of("source/", address + "/pushed/") : List.of(address + "/source/", "pulled/"));
    return lab.run(lab.root(), words.toArray(String[]::new)).expect(0);
  }

  private static String text(Path directory, String script) {
    return new String(Shell.run(directory, script), StandardCharsets.UTF_8);
  }
}
