package io.fdt.e2e.copy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.e2e.CommandProcess;
import io.fdt.e2e.Content;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Shell;
import io.fdt.e2e.Tree;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Digests of files, as the command lists them, against those of other programs. */
class AssuranceTest {
  /** What PROTOCOL.md says: the hash of the hashes of pieces of 1 MiB. */
  private static final String SHA256_OF_CHUNKS =
      "split -b 1M --filter=sha256sum '%s' | cut -c -64 | xxd -r -p | sha256sum | cut -c -64";

  @RegisterExtension final Lab lab = new Lab();

  private Path source;
  private Path copies;
  private RunningCommand server;

  @BeforeEach
  void serve() {
    source = lab.directory("source");
    Content.write(source.resolve("large"), (24 << 20) + 77, 1);
    Content.write(source.resolve("d/small"), 1000, 2);
    Content.write(source.resolve("d/empty"), 0, 3);
    copies = lab.directory("copies");
    server = lab.serve("--export", source + ":ro", "--export", copies + ":rw", "--anonymous", "rw");
  }

  private static String sha256(Path file) {
    byte[] line = Shell.run(file.getParent(), SHA256_OF_CHUNKS.formatted(file));
    return new String(line, StandardCharsets.US_ASCII).strip();
  }

  @ParameterizedTest
  @CsvSource({
    "crc32c, crc32c",
    "xxh3, xxh3-1MiB",
    "blake3, blake3",
    "sha256-tree, sha256-1MiB",
    "sha256, sha256",
    "xxh128, xxh128"
  })
  void whatIsReadBackFromTheDiskHasTheDigest(String checksum, String construction) {
    String[] options = {
      "--checksum", checksum, "--verify", "--fsync", "--list-digests", "-r", "-d"
    };

    Outcome pushed = lab.run(lab.root(), client(options, "/copies/pushed", source + "/"));
    Outcome pulled = lab.run(lab.root(), client(options, "pulled", "-pull", "/source/"));

    Tree.assertSame(copies.resolve("pushed"), source);
    Tree.assertSame(lab.root().resolve("pulled"), source);
    for (Outcome outcome : new Outcome[] {pushed.expect(0), pulled.expect(0)}) {
      assertThat(outcome.out())
          .contains("all verified (" + construction + ")")
          .containsPattern(construction + " [0-9a-f]+  \\S*large\n")
          .containsPattern(construction + " [0-9a-f]+  \\S*d/empty\n");
    }
    assertThat(digests(pushed)).isEqualTo(digests(pulled));
  }

  private static String digests(Outcome outcome) {
    return outcome
        .out()
        .lines()
        .filter(line -> line.contains("  "))
        .map(line -> line.substring(0, line.indexOf("  ")))
        .sorted()
        .reduce("", (a, b) -> a + b + "\n");
  }

  private String[] client(String[] options, String... more) {
    String[] all = Arrays.copyOf(options, options.length + more.length);
    System.arraycopy(more, 0, all, options.length, more.length);
    return Lab.clientOf(server, all);
  }

  /** Of what the first transfer left in blocks of another size, only whole chunks are used. */
  @Test
  void aFileThatWasContinuedHasTheDigestOfTheWhole() {
    Path pulled = lab.directory("pulled");
    String[] slow = {"-limit", "16Mbit/s", "-bs", "100000", "-d", pulled.toString()};
    CommandProcess first = lab.startProcess(lab.root(), client(slow, "-pull", "/source/large"));
    Lab.awaitUnfinished(pulled, 4);
    first.kill();

    String[] strong = {"--checksum", "sha256-tree", "--list-digests", "-d", pulled.toString()};
    Outcome second = lab.run(lab.root(), client(strong, "-pull", "/source/large")).expect(0);

    assertThat(second.out())
        .contains("were there already")
        .contains("sha256-1MiB " + sha256(source.resolve("large")) + "  ");
    Content.assertSame(pulled.resolve("large"), source.resolve("large"));
  }

  @Test
  void withoutAChecksumNothingIsSaidToBeVerified() {
    String[] options = {"--checksum", "none", "--list-digests", "-r", "-d", "pulled", "-pull"};

    Outcome outcome = lab.run(lab.root(), client(options, "/source/")).expect(0);

    assertThat(outcome.out()).contains("not compared (checksum none)").contains("none  ");
    Tree.assertSame(lab.root().resolve("pulled"), source);
  }
}
