package io.fdt.e2e.copy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.storage.FaultyMount;
import io.fdt.e2e.Content;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Shell;
import io.fdt.e2e.Tree;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Files whose size is said to be 0 arrive with what reading them gives. */
class UnsizedFilesTest {
  private static final Path VERSION = Path.of("/proc/version");

  @RegisterExtension final Lab lab = new Lab();
  private Path in;
  private RunningCommand server;

  @BeforeEach
  void serve() {
    in = lab.directory("in");
    server = lab.serve("--export", in + ":rw", "--export", "proc=/proc/sys/kernel");
  }

  private String at(String path) {
    return "fdt://127.0.0.1:" + server.port() + path;
  }

  @Test
  void filesOfProcAreNotEmpty() throws IOException {
    lab.run(lab.root(), "copy", VERSION.toString(), at("/in/")).expect(0);
    lab.run(lab.root(), "copy", at("/proc/ostype"), "pulled").expect(0);

    assertThat(in.resolve("version")).hasSameBinaryContentAs(copyOf(VERSION));
    assertThat(lab.root().resolve("pulled")).hasContent("Linux\n");
  }

  @Test
  void standardInputIsReadToItsEndWhateverItsSizeIsSaidToBe() throws IOException {
    lab.start(
            lab.root(),
            List.of("copy", "-", at("/in/version")),
            Channels.newInputStream(FileChannel.open(VERSION)),
            new ByteArrayOutputStream())
        .end()
        .expect(0);

    assertThat(in.resolve("version")).hasSameBinaryContentAs(copyOf(VERSION));
  }

  @Test
  void aDigestIsThatOfTheBytes() {
    String expected =
        new String(Shell.run(lab.root(), "sha256sum /proc/version"), StandardCharsets.UTF_8);

    assertThat(lab.run(lab.root(), "checksum", "--checksum", "sha256", "/proc/version").out())
        .isEqualTo(expected);
    String remote =
        lab.run(lab.root(), "checksum", "--checksum", "sha256", at("/proc/ostype")).expect(0).out();
    assertThat(remote)
        .startsWith(
            new String(
                    Shell.run(lab.root(), "sha256sum </proc/sys/kernel/ostype"),
                    StandardCharsets.UTF_8)
                .substring(0, 64));
  }

  @Test
  void aFileSystemInUserSpaceThatKnowsNoSizesConverges() throws IOException {
    Path backing = lab.directory("backing");
    Content.write(backing.resolve("large"), 3_000_000, 1);
    Content.write(backing.resolve("small"), 100, 2);
    Files.createFile(backing.resolve("empty"));
    try (FaultyMount mount = FaultyMount.over(backing)) {
      mount.hideSizes("*");
      String[] copy = {"copy", "-r", mount.path() + "/", at("/in/")};
      lab.run(lab.root(), copy).expect(0);
      Tree.assertSame(in, backing);
      assertThat(lab.run(lab.root(), copy).expect(0).summary()).contains("0 files, 0 B");
    }
  }

  @Test
  void whatNeverEndsOrIsTooLongFailsByNameAndIsNotWaitedFor() throws IOException {
    Path backing = lab.directory("backing");
    Content.write(backing.resolve("huge"), (16 << 20) + 1, 1);
    Content.write(backing.resolve("small"), 100, 2);
    try (FaultyMount mount = FaultyMount.over(backing)) {
      mount.hideSizes("*");
      mount.fail(FaultyMount.Call.READ, "EAGAIN", "small");
      Outcome outcome = lab.run(lab.root(), "copy", "-r", mount.path() + "/", at("/in/")).expect(1);
      assertThat(outcome.problems())
          .anyMatch(
              line -> line.contains("/huge' has a size of 0, and holds more than 16 MiB; leave"))
          .anyMatch(line -> line.contains("/small' does not end; leave it out"));
    }
    assertThat(in).isEmptyDirectory();
  }

  private Path copyOf(Path file) throws IOException {
    return Files.write(lab.root().resolve("expected"), Files.newInputStream(file).readAllBytes());
  }
}
