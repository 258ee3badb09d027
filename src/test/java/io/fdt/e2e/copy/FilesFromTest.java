package io.fdt.e2e.copy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Shell;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A list says what is copied, relative to one source, in both directions. */
class FilesFromTest {
  @RegisterExtension private final Lab lab = new Lab();

  @Test
  void onlyWhatIsListedArrivesWithItsDirectories() throws Exception {
    Path source = lab.directory("source");
    Shell.run(
        source,
        """
        mkdir -p a/b/c d/e
        printf 1 > a/b/c/listed; printf 1 > a/b/c/other; printf 1 > d/e/f; printf 1 > d/g
        printf 1 > "a/new
        line"; printf 1 > top
        """);
    Path pushed = lab.directory("pushed");
    Path pulled = lab.directory("pulled");
    RunningCommand server = lab.serve("--export", source.toString(), "--export", pushed + ":rw");
    String address = "fdt://127.0.0.1:" + server.port();
    Path lines =
        Files.writeString(lab.root().resolve("lines"), "a/b/c/listed\nd/ \ntop / x/y\nd\n");
    Path entries = Files.writeString(lab.root().resolve("entries"), "a/b/c/listed\0a/new\nline\0");

    Outcome missing =
        lab.run(
            lab.root(),
            "copy",
            "-r",
            "--files-from",
            lines.toString(),
            "source",
            address + "/pushed");
    lab.run(
            lab.root(),
            "copy",
            "-0",
            "--files-from",
            entries.toString(),
            address + "/source",
            "pulled")
        .expect(0);

    assertThat(missing.status()).isEqualTo(1);
    assertThat(missing.err()).contains("source/d/ "); // a blank is a part of a name
    assertThat(files(pushed)).containsExactly("a/b/c/listed", "d/e/f", "d/g", "x/y");
    assertThat(files(pulled)).containsExactly("a/b/c/listed", "a/new\\nline");
  }

  private static List<String> files(Path directory) {
    byte[] listed =
        Shell.run(
            directory,
            "find . -type f -printf '%P\\0' | sort -z | sed -z 's/\\n/\\\\n/g' | tr '\\0' '\\n'");
    return new String(listed, StandardCharsets.UTF_8).lines().toList();
  }
}
