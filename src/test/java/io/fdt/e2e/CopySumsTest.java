package io.fdt.e2e;

import static org.assertj.core.api.Assertions.assertThat;

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
        .containsPattern("a.c: its digest is [0-9a-f]+, but --expect SUMS line \\d+ says [0-9a-f]+")
        .containsPattern("d/e/f: not copied, but listed: --expect SUMS line \\d+")
        .contains("3 of 5 files are as the list says");
    assertThat(lab.root().resolve("pulled/a.c")).hasContent("2");
    assertThat(JsonLines.of(JsonLines.events(json), "file"))
        .anyMatch(event -> event.toString().contains("VERIFICATION"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"md5", "sha1", "sha256"})
  void checksumPlainIsWhatOtherToolsPrint(String digest) {
    Outcome outcome = lab.run(source, "checksum", "--plain", "--checksum", digest, "large");

    assertThat(outcome.expect(0).out()).isEqualTo(output(source, digest + "sum large") + "\n");
    copy("-r --checksum " + digest + " SOURCE/ HOST/in/").expect(0);
    Tree.assertSame(in, source);
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

  private Outcome copy(String words) {
    List<String> line = new ArrayList<>(List.of("copy"));
    line.addAll(
        Arrays.asList(
            words
                .replace("SOURCE", source.toString())
                .replace("HOST", "fdt://127.0.0.1:" + server.port())
                .replace("OTHER", "fdt://127.0.0.1:" + other.port())
                .strip()
                .split(" +")));
    return lab.run(lab.root(), line.toArray(String[]::new));
  }
}
