package io.fdt.e2e.copy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.e2e.CommandProcess;
import io.fdt.e2e.Content;
import io.fdt.e2e.JsonLines;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Shell;
import io.fdt.e2e.Tree;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Lists of digests that other tools check, and that other tools have written. */
class CopySumsTest {
  @RegisterExtension private final Lab lab = new Lab();
  private Path source;
  private Path in;
  private RunningCommand server;
  private RunningCommand other;

  @BeforeEach
  void makeTree() {
    source = lab.directory("source");
    Content.write(source.resolve("large"), (5 << 20) + 3, 7);
    Shell.run(
        source,
        "mkdir -p d/e; printf 1 > a.c; printf 3 > d/e/f; printf n > $'new\\nline'; : > empty; ln -s"
            + " a.c link");
    in = lab.directory("in");
    server = lab.serve("--export", in + ":rw", "--export", source.toString());
    other = lab.serve("--export", source.toString());
  }

  @ParameterizedTest
  @CsvSource({
    "HOST/source/ back, back",
    "HOST/source back, back",
    "HOST/source/d/e/f one, .",
    "SOURCE/ HOST/in/new/, in/new",
    "SOURCE HOST/in, in",
    "source/a.c source/large HOST/in/two, in/two",
    "source/large HOST/in/name, in",
    "OTHER/source HOST/in/, in",
  })
  void sha256sumChecksTheManifestAtTheDestination(String operands, String directory) {
    Shell.run(in, "printf stays > mine");
    copy("-r --manifest SUMS " + operands).expect(0);
    String first = output(lab.root(), "sort SUMS");

    copy("-r --manifest SUMS " + operands).expect(0);

    assertThat(first).isNotEmpty().doesNotContain("mine");
    assertThat(output(lab.root(), "sort SUMS")).as("of unchanged files").isEqualTo(first);
    Path at = lab.root().resolve(directory).normalize();
    String sums = lab.root().resolve("SUMS").toString();
    Shell.run(at, "sha256sum --strict --quiet -c " + sums);
    int files =
        operands.contains("large HOST/in/two") ? 2 : operands.matches(".*(/f|large|/d) .*") ? 1 : 5;
    assertThat(first.lines()).hasSize(files);
  }

  @Test
  void aSourceThatArrivesTwiceIsRefusedWhereNamesMatter() {
    Outcome refused = copy("-r --manifest SUMS source source/d HOST/in/").expect(2);

    assertThat(refused.err()).contains("'source/d' is copied with 'source' already: leave it out");
    assertThat(lab.root().resolve("SUMS")).doesNotExist();
    copy("-r source source/d HOST/in/").expect(0);
    copy("-r --manifest SUMS source/d source/a.c HOST/in/").expect(0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"md5", "sha1", "sha256"})
  void expectTakesTheListsOfOtherToolsAndNamesWhatDiffers(String digest) {
    Shell.run(
        source,
        "find . -type f -print0 | xargs -0 %ssum > ../SUMS; %ssum --tag a.c > ../TAGGED"
            .formatted(digest, digest));

    Outcome push = copy("-r --expect SUMS SOURCE/ HOST/in/").expect(0);
    copy("-r --expect SUMS OTHER/source/ HOST/in/").expect(0);
    copy("HOST/source/a.c --expect TAGGED back/").expect(0);
    Shell.run(source, "printf 2 > a.c; rm d/e/f");
    Outcome differs = copy("-r --expect SUMS HOST/source/ pulled/").expect(5);
    Outcome json = copy("-r --json --expect SUMS HOST/source/ pulled/").expect(5);

    assertThat(push.err()).contains("5 of 5 files are as the list says");
    assertThat(differs.problems()).hasSize(2);
    assertThat(differs.err())
        .containsPattern(
            "'pulled/a.c': its digest is [0-9a-f]+, but --expect SUMS line \\d+ says [0-9a-f]+; not"
                + " copied")
        .containsPattern("d/e/f: not copied, but listed: --expect SUMS line \\d+")
        .contains("3 of 5 files are as the list says");
    assertThat(lab.root().resolve("pulled/a.c")).doesNotExist();
    assertThat(JsonLines.of(JsonLines.events(json), "file"))
        .anyMatch(event -> event.toString().contains("VERIFICATION"));
  }

  /**
   * A listed file that is called like the destination says nothing of files that are not listed.
   */
  @ParameterizedTest
  @CsvSource({"SOURCE/ HOST/in/", "HOST/source/ pulled/", "OTHER/source/ HOST/in/"})
  void aListedNameThatIsSkippedIsNotCopied(String operands) {
    Shell.run(source, "sha256sum a.c d/e/f >../SUMS; rm a.c; mkfifo a.c");

    Outcome outcome = copy("-r --expect SUMS " + operands).expect(1);

    assertThat(outcome.err()).containsPattern("skipped .*a\\.c'?: a device, socket or FIFO");
    assertThat(outcome.problems())
        .anyMatch(line -> line.matches("fdt: (.*/)?a.c: not copied, but listed.*"));
    assertThat(outcome.err()).contains("1 of 2 files are as the list says");
  }

  @ParameterizedTest
  @ValueSource(strings = {"HOST/source/ large", "SOURCE/ HOST/in/large/"})
  void aListNamesTheFilesThatItNamesAndNoOthers(String operands) {
    Shell.run(source, "sha256sum large > ../SUMS");

    Outcome outcome = copy("-r --expect SUMS " + operands).expect(0);

    assertThat(outcome.err()).contains("1 of 1 files are as the list says");
  }

  /** One file that gets another name may be listed under that one. */
  @Test
  void theOnlyFileIsListedUnderEitherName() {
    Shell.run(source, "sha256sum large > ../SUMS; sed s/large/other/ ../SUMS > ../RENAMED");
    Shell.run(source, "tr 0-9 1-90 < ../RENAMED > ../WRONG");

    copy("--expect SUMS source/large HOST/in/other").expect(0);
    Shell.run(in, "rm other");
    copy("--expect RENAMED source/large HOST/in/other").expect(0);
    Shell.run(in, "rm other");
    copy("--expect WRONG source/large HOST/in/other").expect(5);
    copy("--expect RENAMED HOST/source/large other").expect(0);

    assertThat(in.resolve("other")).doesNotExist();
  }

  @ParameterizedTest
  @ValueSource(strings = {"md5", "sha1", "sha256"})
  void checksumPlainIsWhatOtherToolsPrint(String digest) {
    Outcome outcome = lab.run(source, "checksum", "--plain", "--checksum", digest, "large");

    String expected = output(source, digest + "sum large");
    assertThat(outcome.expect(0).out()).isEqualTo(expected + "\n");
    assertThat(lab.run(source, "checksum", "--checksum", digest, "large").expect(0).out())
        .isEqualTo(expected + "\n");
    Outcome push = copy("-r --list-digests --checksum " + digest + " SOURCE/ HOST/in/").expect(0);
    Outcome pull = copy("-r --list-digests --checksum " + digest + " HOST/source/ back").expect(0);
    Tree.assertSame(in, source);
    String line = digest + " " + expected.substring(0, expected.indexOf(' ')) + "  ";
    assertThat(push.out()).contains(line + "large\n", "verified (" + digest + ")");
    assertThat(pull.out()).contains(line + "large\n", "verified (" + digest + ")");
  }

  @ParameterizedTest
  @CsvSource({
    "SOURCE/ HOST/in/, in, ''",
    "HOST/source/ pulled/, pulled, ''",
    "SOURCE/ HOST/in/, in, --checksum md5",
    "HOST/source/ pulled/, pulled, -P 8 -bs 64K",
    "SOURCE/ HOST/in/, in, -P 8 -bs 64K -rCount 4",
    "HOST/source/ pulled/, pulled, --verify --fsync",
  })
  void whatDiffersDoesNotTakeThePlaceOfWhatIsThere(String operands, String at, String options) {
    lab.directory("pulled");
    String sum = options.contains("md5") ? "md5sum" : "sha256sum";
    Shell.run(source, sum + " a.c large empty d/e/f $'new\\nline' > ../SUMS");
    Path destination = lab.root().resolve(at);
    Shell.run(destination, "printf earlier > large; printf earlier > a.c; touch -d @1 large a.c");
    Shell.run(source, "printf 2 > a.c; printf X | dd of=large bs=1 seek=3000000 conv=notrunc");

    Outcome refused = copy("-r " + options + " --expect SUMS " + operands).expect(5);

    assertThat(refused.problems()).hasSize(2);
    assertThat(refused.err()).contains("3 of 5 files are as the list says");
    assertThat(destination.resolve("large")).hasContent("earlier");
    assertThat(destination.resolve("a.c")).hasContent("earlier");
    assertThat(destination.resolve("d/e/f")).hasContent("3");
    assertThat(output(destination, "find . -name '.*' -name '*fdt*' | wc -l")).isEqualTo("0");

    Shell.run(source, "printf 1 > a.c");
    copy("-r " + options + " --expect SUMS " + operands).expect(5);
    assertThat(destination.resolve("a.c")).hasContent("1");
  }

  @ParameterizedTest
  @CsvSource({
    "HOST/source/large pulled/, pulled",
    "SOURCE/large HOST/in/, in",
  })
  void theDigestOfAFileThatIsContinuedIsThatOfTheWhole(String operands, String at) {
    Path destination = lab.directory(at);
    List<String> first = new ArrayList<>(List.of("copy", "--limit", "24Mbit/s"));
    first.addAll(line(operands));
    Content.write(source.resolve("large"), 24 << 20, 8);
    CommandProcess killed = lab.startProcess(lab.root(), first.toArray(String[]::new));
    Lab.awaitUnfinished(destination, 4);
    killed.kill();
    server.stop(); // it would wait for the one that was killed
    server = lab.serve("--export", in + ":rw", "--export", source.toString());

    Shell.run(source, "sha256sum large > ../SUMS");
    Outcome second = copy("--expect SUMS --manifest NEW " + operands).expect(0);

    assertThat(second.out()).contains("were there already");
    assertThat(second.err()).contains("1 of 1 files are as the list says");
    Shell.run(destination, "sha256sum --strict -c ../SUMS ../NEW");
  }

  /**
   * A file of 1 TB with 1 MB of data takes no longer than its data, where holes need no hashing.
   * XXH3 takes a little for each block of a hole.
   */
  @ParameterizedTest
  @CsvSource({"crc32c, 1000", "xxh3, 400"})
  void sparseFilesCostByTheirData(String digest, int gigabytes) {
    Shell.run(
        source,
        "rm -r *; printf begin > sparse; truncate -s "
            + gigabytes
            + "G sparse; dd if=/dev/urandom of=sparse bs=1M count=1 seek=200000 conv=notrunc"
            + " 2>/dev/null");

    Outcome pull =
        copy("--list-digests --checksum " + digest + " HOST/source/sparse pulled").expect(0);
    Outcome sum = lab.run(lab.root(), "checksum", "--checksum", digest, "pulled").expect(0);

    String shown = pull.out().lines().filter(l -> l.endsWith("pulled")).findFirst().orElseThrow();
    String value = shown.split(" +")[1];
    assertThat(sum.out()).contains(value);
    assertThat(output(lab.root(), "du -k pulled | cut -f 1")).matches("1[0-9]{3}");
  }

  @Test
  void whatCannotBeIsRefused() {
    assertThat(copy("--manifest . HOST/source/a.c x").expect(2).err()).contains("a directory;");
    assertThat(copy("--manifest no/SUMS HOST/source/a.c x").expect(2).err())
        .contains("make it, or choose another one");
    assertThat(copy("-n --manifest SUMS HOST/source/a.c x").expect(2).err()).contains("--dry-run");
    assertThat(copy("--manifest SUMS HOST/source/a.c -").expect(2).err()).contains("- as SOURCE");
    assertThat(copy("--expect none HOST/source/a.c x").expect(2).err()).contains("no such file");
    assertThat(copy("--expect SUMS --checksum none HOST/source/a.c x").expect(2).err())
        .contains("needs a digest");
  }

  private static String output(Path directory, String script) {
    return new String(Shell.run(directory, script), StandardCharsets.UTF_8).strip();
  }

  private List<String> line(String words) {
    return Arrays.asList(
        words
            .replace("SOURCE", source.toString())
            .replace("HOST", "fdt://127.0.0.1:" + server.port())
            .replace("OTHER", "fdt://127.0.0.1:" + other.port())
            .strip()
            .split(" +"));
  }

  private Outcome copy(String words) {
    List<String> line = new ArrayList<>(List.of("copy"));
    line.addAll(line(words));
    return lab.run(lab.root(), line.toArray(String[]::new));
  }
}
