package io.fdt.cli.output;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.error.FdtException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OutputFileTest {
  @TempDir Path temporary;
  private Path directory;

  @BeforeEach
  void makeDirectory() throws IOException {
    directory = Files.createDirectory(temporary.resolve("outputs"));
  }

  @Test
  void aRegularFileIsReplacedWhenTheNewOneIsComplete() throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "old");

    try (OutputFile output = OutputFile.create("--report", file)) {
      write(output, "new");
      assertThat(file).hasContent("old");
      output.finish(null);
    }

    assertThat(file).hasContent("new");
    assertNothingElse("file");
  }

  @Test
  void aFileThatIsNotCompleteLeavesTheOldOne() throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "old");

    try (OutputFile output = OutputFile.create("--report", file)) {
      write(output, "new");
      assertNothingElse("file", "file.part-" + ProcessHandle.current().pid());
      assertThatThrownBy(() -> output.finish(new IOException("No space left on device")))
          .hasMessage("--report '%s': no space is left; choose another place".formatted(file));
    }

    assertThat(file).hasContent("old");
    assertNothingElse("file");
  }

  @Test
  void aLinkStaysAndItsTargetIsReplaced() throws IOException {
    Path target = Files.writeString(directory.resolve("target"), "old");
    Path between = Files.createSymbolicLink(directory.resolve("between"), Path.of("target"));
    Path link = Files.createSymbolicLink(directory.resolve("link"), between);

    writeWhole(link, "new");

    assertThat(target).hasContent("new");
    assertThat(link).isSymbolicLink();
    assertThat(between).isSymbolicLink();
    assertNothingElse("between", "link", "target");
  }

  @Test
  void aLinkThatLeadsNowhereGetsItsTarget() throws IOException {
    Path link = Files.createSymbolicLink(directory.resolve("link"), Path.of("target"));

    writeWhole(link, "new");

    assertThat(directory.resolve("target")).hasContent("new");
    assertThat(link).isSymbolicLink();
  }

  @Test
  void linksInACircleAreRefused() throws IOException {
    Path one = Files.createSymbolicLink(directory.resolve("one"), Path.of("two"));
    Files.createSymbolicLink(directory.resolve("two"), Path.of("one"));

    assertThatThrownBy(() -> OutputFile.create("--report", one))
        .hasMessage(
            "--report '%s': its links lead in a circle; choose another place".formatted(one));
  }

  @Test
  void aFifoIsWrittenAndStays() throws Exception {
    Path fifo = directory.resolve("fifo");
    assertThat(new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor()).isZero();
    CompletableFuture<String> read = CompletableFuture.supplyAsync(() -> content(fifo));

    writeWhole(fifo, "new");

    assertThat(read.get(20, TimeUnit.SECONDS)).isEqualTo("new");
    assertThat(Files.readAttributes(fifo, "isOther")).containsEntry("isOther", true);
    assertNothingElse("fifo");
  }

  @Test
  void aDeviceIsWrittenAndStays() throws IOException {
    Path link = Files.createSymbolicLink(directory.resolve("link"), Path.of("/dev/null"));

    writeWhole(Path.of("/dev/null"), "new");
    writeWhole(link, "new");

    assertThat(Files.isRegularFile(Path.of("/dev/null"))).isFalse();
    assertThat(Files.exists(Path.of("/dev/null"), LinkOption.NOFOLLOW_LINKS)).isTrue();
    assertThat(link).isSymbolicLink();
  }

  @Test
  void theErrorOfADeviceIsTold() {
    assertThatThrownBy(() -> writeWhole(Path.of("/dev/full"), "new"))
        .hasMessageContaining("--report '/dev/full': no space is left");
  }

  private static void writeWhole(Path path, String text) throws FdtException {
    try (OutputFile output = OutputFile.create("--report", path)) {
      IOException failure = null;
      try {
        write(output, text);
      } catch (IOException e) {
        failure = e;
      }
      output.finish(failure);
    }
  }

  private static void write(OutputFile output, String text) throws IOException {
    output.stream().write(text.getBytes(StandardCharsets.UTF_8));
  }

  private static String content(Path path) {
    try {
      return Files.readString(path);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private void assertNothingElse(String... names) throws IOException {
    try (var found = Files.list(directory)) {
      assertThat(found.map(file -> file.getFileName().toString())).containsExactlyInAnyOrder(names);
    }
  }
}
