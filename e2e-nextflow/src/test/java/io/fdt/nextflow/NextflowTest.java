package io.fdt.nextflow;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.server.Export;
import io.fdt.server.FdtServer;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A program that nobody here wrote uses files of a server: Nextflow finds the inputs of a workflow
 * by a glob on {@code fdt://}, stages them, and publishes the results there. It knows nothing of
 * FDT but the jar on its class path.
 */
@Timeout(110)
class NextflowTest {
  private static final String WORKFLOW =
      """
      process count {
        publishDir "${params.server}/data/results", mode: 'copy'
        input: path x
        output: path "${x.baseName}.count"
        script: "wc -c < '$x' | tr -d ' ' > '${x.baseName}.count'"
      }
      workflow {
        channel.fromPath("${params.server}/data/in/*.bin") | count
      }
      """;

  /** What Nextflow's own start script opens. */
  private static final List<String> OPENED =
      List.of(
          "java.lang",
          "java.io",
          "java.nio",
          "java.net",
          "java.util",
          "java.util.concurrent",
          "java.util.concurrent.atomic",
          "java.nio.file.spi",
          "sun.nio.ch",
          "sun.nio.fs",
          "java.util.regex");

  @TempDir Path directory;

  private Path data;
  private FdtServer server;

  @BeforeEach
  void serve() throws Exception {
    data = Files.createDirectory(directory.resolve("data"));
    Files.createDirectory(data.resolve("in"));
    server =
        FdtServer.builder()
            .port(0)
            .bind("127.0.0.1")
            .home(directory.resolve("home"))
            .export(Export.readWrite("data", data))
            .build();
    server.start();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void workflowReadsAndPublishesOnTheServer() throws Exception {
    byte[] large = new byte[6_000_000]; // by parallel streams
    new Random(1).nextBytes(large);
    Files.write(data.resolve("in/large.bin"), large);
    Files.write(data.resolve("in/small.bin"), new byte[10]);
    Files.writeString(data.resolve("in/other.txt"), "not matched");

    String log = nextflow();

    assertThat(data.resolve("results/large.count")).as(log).hasContent("6000000");
    assertThat(data.resolve("results/small.count")).as(log).hasContent("10");
    try (Stream<Path> results = Files.list(data.resolve("results"))) {
      assertThat(results).hasSize(2);
    }
    try (Stream<Path> staged = Files.walk(directory.resolve("run/work"))) {
      Path copy =
          staged
              .filter(p -> p.endsWith("large.bin") && Files.isRegularFile(p))
              .findFirst()
              .orElseThrow();
      assertThat(Files.readAllBytes(copy)).isEqualTo(large);
    }
  }

  /** Runs it to its end, which no thread of the provider delays; returns what it printed. */
  private String nextflow() throws Exception {
    Path run = Files.createDirectory(directory.resolve("run"));
    Files.writeString(run.resolve("main.nf"), WORKFLOW);
    Path log = run.resolve("out");
    ProcessBuilder builder =
        new ProcessBuilder(command())
            .directory(run.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    builder
        .environment()
        .putAll(
            Map.of(
                "NXF_OFFLINE",
                "true",
                "NXF_ANSI_LOG",
                "false",
                "NXF_HOME",
                run.resolve("home").toString(),
                "FDT_HOME",
                directory.resolve("home").toString()));
    Process process = builder.start();
    try {
      boolean ended = process.waitFor(90, TimeUnit.SECONDS);
      String printed = Files.readString(log, StandardCharsets.UTF_8);
      assertThat(ended).as(printed).isTrue();
      assertThat(process.exitValue()).as(printed).isZero();
      return printed;
    } finally {
      process.destroyForcibly();
    }
  }

  private List<String> command() {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-XX:TieredStopAtLevel=1");
    for (String opened : OPENED) {
      command.add("--add-opens=java.base/" + opened + "=ALL-UNNAMED");
    }
    String classPath =
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(entry -> !entry.contains("test-classes"))
            .collect(Collectors.joining(File.pathSeparator));
    command.addAll(List.of("-cp", classPath, "nextflow.cli.Launcher", "run", "main.nf"));
    command.addAll(
        List.of("-ansi-log", "false", "--server", "fdt://127.0.0.1:" + server.address().getPort()));
    return command;
  }
}
