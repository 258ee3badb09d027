package io.fdt.cli.ssh;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.model.BytePath;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SshPathsTest {
  @TempDir private Path temporary;
  private String root;

  @BeforeEach
  void makeTree() throws IOException {
    root = temporary.toRealPath().toString();
    Files.createDirectories(temporary.resolve("real/sub"));
    Files.createSymbolicLink(temporary.resolve("link"), Path.of("real"));
    Files.createSymbolicLink(temporary.resolve("broken"), Path.of("nowhere"));
  }

  private String source(String path) {
    return resolve(path, SshPaths.Role.SOURCE);
  }

  private String destination(String path) {
    return resolve(path, SshPaths.Role.DESTINATION);
  }

  private static String resolve(String path, SshPaths.Role role) {
    return SshPaths.ofProcess().resolve(SshPaths.question(BytePath.of(path), role)).toString();
  }

  @Test
  void linksOnTheWayAreFollowed() {
    assertThat(source(root + "/link/sub")).isEqualTo(root + "/real/sub");
    assertThat(source(root + "/link/sub/")).isEqualTo(root + "/real/sub/");
    assertThat(source(root + "/link/../real/./sub")).isEqualTo(root + "/real/sub");
    assertThat(destination(root + "/link/new")).isEqualTo(root + "/real/new");
    assertThat(destination(root + "/link/new/")).isEqualTo(root + "/real/new/");
  }

  @Test
  void aLinkAtTheEndIsCopiedAsOneAndWrittenThrough() {
    assertThat(source(root + "/link")).isEqualTo(root + "/link");
    assertThat(source(root + "/link/")).isEqualTo(root + "/real/");
    assertThat(destination(root + "/link")).isEqualTo(root + "/real");
    assertThat(destination(root + "/broken")).isEqualTo(root + "/broken");
  }

  @Test
  void whatIsNotThereStaysForTheServerToTell() {
    assertThat(source(root + "/no/such/f")).isEqualTo(root + "/no/such/f");
    assertThat(source("/")).isEqualTo("/");
    assertThat(source("//")).isEqualTo("/");
  }

  @Test
  void relativePathsBeginInTheHome() throws IOException {
    String here = Path.of("").toRealPath().toString();
    assertThat(source("no-such")).isEqualTo(here + "/no-such");
    assertThat(source("~/no-such")).isEqualTo(here + "/no-such");
    assertThat(destination("")).isEqualTo(here);
    assertThat(destination("~")).isEqualTo(here);
    assertThat(source("./")).isEqualTo(here + "/");
  }
}
