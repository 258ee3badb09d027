package io.fdt.core.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fdt.core.storage.FaultyMount.Call;
import io.fdt.core.storage.FaultyMount.Rule;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The file system that injects faults does so, and leaves nothing behind. */
class FaultyMountTest {
  @TempDir Path backing;

  @Test
  void callsFailAfterSomeThatPass() throws IOException {
    try (FaultyMount mount = FaultyMount.over(backing)) {
      Path file = Files.writeString(mount.path().resolve("file"), "text");
      Rule rule = mount.fail(Call.UNLINK, "EPERM", "f*", 0, 1);
      Rule count = mount.count(Call.UNLINK, "*");
      assertThatThrownBy(() -> Files.delete(file)).hasMessageContaining("not permitted");
      Files.delete(file);
      assertThat(rule.hits()).isEqualTo(1);
      assertThat(count.hits()).isEqualTo(1); // the first rule that fails ends the look at others
    }
  }

  @Test
  void closeReportsTheErrorOfItsFlush() throws IOException {
    try (FaultyMount mount = FaultyMount.over(backing)) {
      mount.fail(Call.FLUSH, "EDQUOT", "dir/*");
      Files.createDirectory(mount.path().resolve("dir"));
      assertThatThrownBy(() -> Files.writeString(mount.path().resolve("dir/file"), "text"))
          .hasMessageContaining("quota");
      Files.writeString(mount.path().resolve("other"), "text");
    }
  }

  @Test
  void namesAreBytesAndMayBeFoldedAndComposed() throws Exception {
    try (FaultyMount mount = FaultyMount.over(backing)) {
      mount.foldNames();
      mount.composeNames();
      String script =
          "printf 1 >$'\\xff'; printf 2 >Ab; printf 3 >aB; printf 4 >$'e\\xcc\\x81'; LC_ALL=C; echo"
              + " *";
      assertThat(shell(mount.path(), script).strip()).isEqualTo("Ab \u00c3\u00a9 \u00ff");
      assertThat(Files.readString(backing.resolve("Ab"))).isEqualTo("3");
    }
  }

  @Test
  void timesInodesAndSizesAreHalfTruths() throws Exception {
    try (FaultyMount mount = FaultyMount.over(backing)) {
      Path file = Files.writeString(mount.path().resolve("file"), "text");
      mount.coarseTimes(Duration.ofSeconds(2));
      mount.clampTimes(0, Integer.MAX_VALUE);
      Files.setLastModifiedTime(file, FileTime.from(Instant.ofEpochSecond(1_001, 5)));
      assertThat(Files.getLastModifiedTime(file).toInstant())
          .isEqualTo(Instant.ofEpochSecond(1000));
      Files.setLastModifiedTime(file, FileTime.from(Instant.ofEpochSecond(1L << 33)));
      assertThat(Files.getLastModifiedTime(file).toInstant().getEpochSecond())
          .isEqualTo(Integer.MAX_VALUE);
      mount.changeInodes();
      assertThat(Files.getAttribute(file, "unix:ino"))
          .isNotEqualTo(Files.getAttribute(file, "unix:ino"));
      mount.hideSizes("fil?");
      assertThat(file).hasSize(0);
      assertThat(shell(mount.path(), "cat file")).isEqualTo("text");
    }
  }

  @Test
  void hangingCallsGoOnOrDieWithTheFileSystem() throws Exception {
    try (FaultyMount mount = FaultyMount.over(backing)) {
      Path file = Files.writeString(mount.path().resolve("file"), "text");
      Rule rule = mount.hang(Call.READ, "*");
      CompletableFuture<String> first = readAside(file);
      await().until(() -> rule.hits() == 1);
      assertThat(first).isNotDone();
      rule.remove();
      assertThat(first.get(20, TimeUnit.SECONDS)).isEqualTo("text");
      Rule again = mount.hang(Call.READ, "*");
      CompletableFuture<String> second = readAside(file);
      await().until(() -> again.hits() == 1);
      mount.die();
      assertThat(second.get(20, TimeUnit.SECONDS)).contains("onnect");
      mount.remount();
      assertThat(Files.readString(file)).isEqualTo("text");
    }
    assertThat(Path.of("/proc/self/mountinfo")).content().doesNotContain("fdt-faulty-");
  }

  private static CompletableFuture<String> readAside(Path file) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return Files.readString(file);
          } catch (IOException e) {
            return e.getMessage();
          }
        });
  }

  private static String shell(Path directory, String script) throws IOException {
    Process process =
        new ProcessBuilder("bash", "-euc", script)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .start();
    return new String(process.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
  }
}
