package io.fdt.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which Java machine a command gets. */
class LauncherTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "-c host -r /data",
        "-P 4 -c host -d /x a",
        "copy a host:/b",
        "ls host:/",
        "--connect x -r /data",
        "-c=x a"
      })
  void clientDoesWithTheFirstCompiler(String line) {
    assertThat(Launcher.isForFirstCompiler(line.split(" "))).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "serve --export a=b",
        "-p 54321",
        "-S",
        "-c host --checksum sha256 /data",
        "copy --checksum=blake3 a host:/b",
        "-c host --encrypt /data"
      })
  void serversAndDigestsHaveTheSecondOne(String line) {
    assertThat(Launcher.isForFirstCompiler(line.split(" "))).isFalse();
  }

  @Test
  void serverWithoutAnyWordHasTheSecondOne() {
    assertThat(Launcher.isForFirstCompiler()).isFalse();
  }
}
