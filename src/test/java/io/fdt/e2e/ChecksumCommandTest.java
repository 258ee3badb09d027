package io.fdt.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
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

    assertThat(remote.out().replace("/data/", "data/").lines())
        .containsExactlyInAnyOrderElementsOf(local.out().lines().toList());
    assertThat(lab.run(data, "checksum", address + "/large", "large").expect(2).err())
        .contains("on this machine");
  }

  /** The tree hash that a report shows, by the same command and by the program in OPTIONS.md. */
  @ParameterizedTest
  @ValueSource(strings = {"large", "a/b/one", "a/empty"})
  void aTreeHashCanBeMadeAgain(String name) throws IOException {
    String expected = lab.run(data, "checksum", "--checksum", "sha256", name).expect(0).out();
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
