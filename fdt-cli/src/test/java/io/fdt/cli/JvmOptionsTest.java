package io.fdt.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which Java machine a command gets. */
class JvmOptionsTest {
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
    assertThat(JvmOptions.isForFirstCompiler(line.split(" "))).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "serve --export a=b",
        "-p 54321",
        "-S",
        "-c host --checksum sha256 /data",
        "copy --checksum=blake3 a host:/b",
        "-c host --encrypt /data",
        "copy --via relay a host:/b",
        "copy https://a/b c",
        "copy --manifest=sums a host:/b",
        "copy --expect sums host:/a b",
        "checksum --check sums"
      })
  void serversAndDigestsHaveTheSecondOne(String line) {
    assertThat(JvmOptions.isForFirstCompiler(line.split(" "))).isFalse();
  }

  @Test
  void largeFilesHaveTheSecondOne(@TempDir Path directory) throws IOException {
    Path file = directory.resolve("file");
    for (long size : new long[] {(8 << 20) - 1, 8 << 20}) {
      try (RandomAccessFile made = new RandomAccessFile(file.toFile(), "rw")) {
        made.setLength(size);
      }
      assertThat(JvmOptions.isForFirstCompiler("copy", file.toString(), "host:/b"))
          .isEqualTo(size < 8 << 20);
    }
  }

  @Test
  void serverWithoutAnyWordHasTheSecondOne() {
    assertThat(JvmOptions.isForFirstCompiler()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"-Xmx1g", "-Xms64m", "-Xss1m", "-Da=b", "-XX:MaxRAMPercentage=50"})
  void memoryAndPropertiesGoWithTheMeasuredOptions(String option) {
    assertThat(JvmOptions.goesWithOthers(option)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"-XX:+UseZGC", "-Xshare:off", "-Xint", "-cp", "@file", "-javaagent:a.jar"})
  void otherOptionsMayContradictThem(String option) {
    assertThat(JvmOptions.goesWithOthers(option)).isFalse();
  }

  @Test
  void argumentFileQuotesWhatJavaWouldSplit() {
    assertThat(JvmOptions.argumentFile(List.of("-Da=b c", "-Dd=\\\"")))
        .isEqualTo("\"-Da=b c\"\n\"-Dd=\\\\\\\"\"\n");
  }
}
