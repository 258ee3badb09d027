package io.fdt.e2e.copy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.e2e.Content;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.Programs;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Shell;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Digests that common tools can check, of local files and of those of a server. */
class ChecksumCommandTest {
  /** Where the jar is built: fdt-cli/target. */
  private static final Path PROJECT =
      Path.of(System.getProperty("fdt.jar")).getParent().getParent().getParent();

  @RegisterExtension private final Lab lab = new Lab();
  private Path data;

  @BeforeEach
  void makeFiles() {
    data = lab.directory("data");
    Content.write(data.resolve("large"), (5 << 20) + 77, 1);
    Shell.run(
        data,
        "mkdir -p a/b; printf 1 > a/b/one; : > a/empty; printf 2 > 'a/b/back\\slash';"
            + " printf 3 > \"$(printf 'a/new\\nline')\"; ln -s b a/link; mkfifo a/fifo");
  }

  @Test
  void sha256sumChecksWhatIsPrintedOfLocalFiles() throws IOException {
    Outcome sums = lab.run(data, "checksum", "-r", "--plain", ".").expect(0);

    Files.writeString(lab.root().resolve("SUMS"), sums.out());
    assertThat(text(data, "sha256sum --strict -c ../SUMS | grep -c OK")).isEqualTo("5\n");
    assertThat(lab.run(data, "checksum", "--plain", "large").expect(0).out())
        .isEqualTo(text(data, "sha256sum large"));
    assertThat(lab.run(data, "checksum", "a").expect(1).problems().get(0)).contains("add -r");
    assertThat(lab.run(data, "checksum", "a/link").expect(1).problems().get(0))
        .contains("links are not followed");
    assertThat(lab.run(data, "checksum", "a/empty", "missing").expect(1).out())
        .isEqualTo("00000000  a/empty\n");
  }

  @Test
  void aServerPrintsTheSame() {
    RunningCommand server = lab.serve("--export", data.toString());
    String address = "fdt://127.0.0.1:" + server.port() + "/data";

    Outcome remote = lab.run(lab.root(), "checksum", "-r", "--plain", address).expect(0);
    Outcome local = lab.run(lab.root(), "checksum", "-r", "--plain", "data").expect(0);

    assertThat(remote.out().lines())
        .containsExactlyInAnyOrderElementsOf(local.out().lines().toList());
    for (String path : List.of("/large", "/l*e")) {
      assertThat(lab.run(data, "checksum", "--plain", address + path).expect(0).out())
          .isEqualTo(text(data, "sha256sum large"));
    }
    lab.runWords(data, "checksum --plain " + address + "/large > ../ONE").expect(0);
    assertThat(check("ONE", ".").expect(0).err()).contains("1 of 1 files are");
    assertThat(lab.run(data, "checksum", address + "/a/b/one", address + "/a/empty").out())
        .matches("(?s).*  b/one\n.*  empty\n");
    assertThat(lab.run(data, "checksum", "-r", address + "/a/b/").out()).contains("  one\n");
    assertThat(lab.run(data, "checksum", address + "/large", "large").expect(2).err())
        .contains("on this machine");
  }

  /** As a server would be asked file by file, or for a directory at once. */
  @ParameterizedTest
  @ValueSource(strings = {".", "REMOTE"})
  void checkReadsListsAsOtherProgramsWriteThem(String where) {
    Shell.run(
        data,
        """
        mkdir -p many odd; for i in 1 2 3 4 5 6 7 8 9; do printf $i > many/$i; done
        printf 1 > 'odd/ two  blanks'; printf 2 > 'odd/*star'; printf 3 > $'odd/new\\nline'
        printf 4 > 'odd/per%25cent'; printf 5 > 'odd/back\\slash'; printf 6 > 'odd/ä'
        sha256sum many/* odd/* > ../SUMS
        sha256sum --tag many/* odd/* > ../TAGGED
        grep -v '^\\\\' ../SUMS | sed 's/$/\\r/; 1s/^/\\xef\\xbb\\xbf/' > ../WINDOWS
        sed 's/many/.\\/many/' ../SUMS > ../DOTS
        mkdir ../bag; sed 's/^\\\\//; s/%/%25/; s/\\\\n/%0A/; s/\\\\\\\\/\\\\/; s/  /\\t/' ../SUMS > ../bag/manifest-sha256.txt
        """);
    RunningCommand server = lab.serve("--export", data.toString());
    String at = where.equals(".") ? "." : "fdt://127.0.0.1:" + server.port() + "/data";

    for (String list : List.of("SUMS", "TAGGED", "DOTS", "bag/manifest-sha256.txt")) {
      assertThat(check(list, at).expect(0).err()).as(list).contains("15 of 15 files are");
    }
    assertThat(check("WINDOWS", at).expect(0).err()).contains("13 of 13 files are");

    Shell.run(data, "printf x > many/5; rm many/6 'odd/*star'; mkdir many/6");
    Outcome differs = check("SUMS", at);
    assertThat(differs.err()).contains("12 of 15 files are");
    assertThat(differs.problems()).hasSize(3);
    assertThat(differs.status()).isNotZero();
  }

  /** As sha256sum writes and reads them: only what would break a line is escaped. */
  @Test
  void aListHasTheBytesOfNames() {
    Shell.run(
        data,
        "mkdir odd; for n in $'tab\\t' $'esc\\e[31m' $'bad\\xff' $'cr\\r' 'back\\\\'; do"
            + " printf x > \"odd/$n\"; done");
    RunningCommand server = lab.serve("--export", data.toString());
    String address = "fdt://127.0.0.1:" + server.port() + "/data/odd";

    lab.runWords(data, "checksum -r --plain odd > ../LOCAL").expect(0);
    lab.runWords(data, "checksum -r --plain " + address + " > ../REMOTE").expect(0);

    assertThat(text(data, "sha256sum --strict -c ../LOCAL | grep -ac OK")).isEqualTo("5\n");
    assertThat(text(data, "sort ../REMOTE | cmp - <(sort ../LOCAL)")).isEmpty();
    assertThat(check("LOCAL", ".").expect(0).err()).contains("5 of 5 files are");
  }

  /** The default digest is CRC32C. */
  @Test
  void checkReadsWhatChecksumPrints() {
    lab.runWords(data, "checksum -r . > ../CRCS").expect(0);

    assertThat(check("CRCS", ".").expect(0).err()).contains("5 of 5 files are");
    Shell.run(data, "printf x > a/b/one");
    assertThat(check("CRCS", ".").expect(5).err()).contains("4 of 5 files are");
  }

  private Outcome check(String list, String at) {
    return lab.run(data, "checksum", "--check", "../" + list, at);
  }

  @Test
  void checkSaysWhichListsItDoesNotTake() throws IOException {
    Files.writeString(lab.root().resolve("manifest-sha512.txt"), "0".repeat(128) + "  a\n");
    Files.writeString(lab.root().resolve("SHORT"), "0".repeat(20) + "  a\n");

    assertThat(check("manifest-sha512.txt", ".").expect(2).err())
        .contains("sha512 is not known; use a manifest of md5, sha1 or sha256");
    assertThat(check("SHORT", ".").expect(2).err()).contains("sha1 40");
  }

  /** The tree hash that a report shows, by the same command and by the program in OPTIONS.md. */
  @ParameterizedTest
  @ValueSource(strings = {"large", "a/b/one", "a/empty"})
  void aTreeHashCanBeMadeAgain(String name) throws IOException {
    String expected = lab.run(data, "checksum", "--checksum", "sha256-tree", name).expect(0).out();
    assertThat(expected).matches("sha256-1MiB:[0-9a-f]{64}  " + name + "\n");

    Programs.require("python3");
    Files.writeString(lab.root().resolve("tree.py"), program());
    assertThat(text(data, "python3 ../tree.py " + name)).isEqualTo(expected);
  }

  private static String program() throws IOException {
    Matcher block =
        Pattern.compile("(?s)```python\n(.*?)```")
            .matcher(Files.readString(PROJECT.resolve("docs/OPTIONS.md")));
    assertThat(block.find()).isTrue();
    return block.group(1);
  }

  private static String text(Path directory, String script) {
    return new String(Shell.run(directory, script), StandardCharsets.UTF_8);
  }
}
