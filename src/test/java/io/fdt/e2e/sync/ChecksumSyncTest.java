package io.fdt.e2e.sync;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Shell;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files of the same size are compared by their digests, and only those that differ move. */
class ChecksumSyncTest {
  /** The same bytes under other times and modes, and one byte that differs late in a large file. */
  private static final String TREES =
      """
      mkdir -p source/a/b/c; cd source/a/b/c
      head -c 5000000 /dev/urandom > large; head -c 9000000 /dev/urandom > differs
      head -c 777 /dev/urandom > small; head -c 777 /dev/urandom > changed; : > empty
      printf y | dd of=differs bs=1 seek=8999990 conv=notrunc status=none
      printf y | dd of=changed bs=1 seek=700 conv=notrunc status=none
      cd ../../../..; cp -r source pushed; cd pushed/a/b/c
      printf x | dd of=differs bs=1 seek=8999990 conv=notrunc status=none
      printf x | dd of=changed bs=1 seek=700 conv=notrunc status=none
      touch -d @1000000 *; chmod 600 large; chmod 640 ../../../../source/a/b/c/large
      cd ../../../..; cp -a pushed pulled
      """;

  @RegisterExtension private final Lab lab = new Lab();

  @ParameterizedTest
  @CsvSource({"crc32c, 1M", "xxh3, 1M", "blake3, 64K", "sha256, 300K"})
  void onlyWhatDiffersMovesAndTheRestGetsItsTimeAndMode(String checksum, String blockSize) {
    Shell.run(lab.root(), TREES);
    RunningCommand server =
        lab.serve("--export", lab.root() + "/source", "--export", lab.root() + "/pushed:rw");
    String address = "fdt://127.0.0.1:" + server.port();

    for (List<String> way :
        List.of(
            List.of("source/", address + "/pushed/"), List.of(address + "/source/", "pulled/"))) {
      Outcome dry = copy(checksum, blockSize, way.get(0), way.get(1), "--dry-run");
      assertThat(dry.out()).contains("dry run: would copy 3 files", "2 unchanged");
      Outcome first = copy(checksum, blockSize, way.get(0), way.get(1));
      assertThat(first.out())
          .contains("done: 3 files", "2 unchanged by checksum", ", 3 verified (");
      Outcome second = copy(checksum, blockSize, way.get(0), way.get(1));
      assertThat(second.out()).contains("done: 0 files, 0 B", "5 unchanged");
    }

    String listing = "cd a/b/c; stat -c '%n %s %a %Y' *; sha256sum *";
    byte[] expected = Shell.run(lab.root().resolve("source"), listing);
    for (String destination : List.of("pushed", "pulled")) {
      Path path = lab.root().resolve(destination);
      assertThat(new String(Shell.run(path, listing), StandardCharsets.UTF_8))
          .isEqualTo(new String(expected, StandardCharsets.UTF_8));
    }
  }

  /** Files that are the same, or of which a byte differs, under names that fell apart. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void theNamesOfAFileThatIsComparedStayTogether(boolean areSame) {
    Shell.run(
        lab.root(),
        """
        mkdir -p source/a/b/c; cd source/a/b/c; head -c 5000000 /dev/urandom > l1
        printf Y | dd of=l1 conv=notrunc status=none; ln l1 l2; ln l1 l3
        printf small > s1; ln s1 s2; cd ../../../..; mkdir pulled; cp -r --no-preserve=links source/a pulled
        touch -d @1000000 pulled/a/b/c/*
        """);
    if (!areSame) {
      Shell.run(
          lab.root(),
          "cd pulled/a/b/c; for f in *; do printf X | dd of=$f conv=notrunc status=none; done");
    }
    RunningCommand server = lab.serve("--export", lab.root() + "/source");
    String from = "fdt://127.0.0.1:" + server.port() + "/source/";

    Outcome first = copy("crc32c", "1M", from, "pulled/", "--hard-links");
    assertThat(first.out()).contains(areSame ? "done: 3 files, 0 B" : "done: 5 files");
    Outcome second = copy("crc32c", "1M", from, "pulled/", "--hard-links");
    assertThat(second.out()).contains("0 B");

    String listing = "cd a/b/c; stat -c '%n %s %h %Y' *; sha256sum *; find . -samefile l1 | wc -l";
    assertThat(Shell.run(lab.root().resolve("pulled"), listing))
        .isEqualTo(Shell.run(lab.root().resolve("source"), listing));
  }

  @Test
  void withoutAChecksumThereIsNothingToCompareBy() {
    Outcome outcome =
        lab.run(
            lab.root(), "copy", "--sync", "checksum", "--checksum", "none", "x", "127.0.0.1:/y");
    assertThat(outcome.status()).isEqualTo(2);
    assertThat(outcome.err()).contains("--checksum none leaves nothing to compare");
  }

  @Test
  void whatCannotBeReadAtTheDestinationIsReplaced() {
    Shell.run(
        lab.root(),
        "mkdir -p source/a/b/c pulled/a/b/c; printf new > source/a/b/c/f; mkfifo pulled/a/b/c/f");
    RunningCommand server = lab.serve("--export", lab.root() + "/source");

    lab.run(
            lab.root(),
            "copy",
            "-r",
            "--sync",
            "checksum",
            "fdt://127.0.0.1:" + server.port() + "/source/",
            "pulled/")
        .expect(0);

    assertThat(lab.root().resolve("pulled/a/b/c/f")).hasContent("new");
  }

  private Outcome copy(String checksum, String blockSize, String from, String to, String... more) {
    List<String> words = new java.util.ArrayList<>(List.of("copy", "-r", "--sync", "checksum"));
    words.addAll(List.of("--checksum", checksum, "-bs", blockSize));
    words.addAll(List.of(more));
    words.addAll(List.of(from, to));
    return lab.run(lab.root(), words.toArray(String[]::new)).expect(0);
  }
}
