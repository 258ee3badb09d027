package io.fdt.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.server.Export;
import io.fdt.server.FdtServer;
import java.io.File;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The jar as spark-submit runs it: with moved packages, beside Spark's own versions of them. It
 * runs when the jar is there.
 */
@Timeout(110)
class SubmitProcessTest {
  @TempDir Path root;

  @Test
  void theJarCopiesInASparkWithoutFdt() throws Exception {
    Path source = Files.createDirectories(root.resolve("source/tree/a"));
    Files.writeString(source.resolve("ü"), "content");
    Files.write(source.resolve("large"), new byte[5_000_000]);
    shell("printf x > source/tree/$(printf 'byte\\377')");
    Path target = Files.createDirectory(root.resolve("target"));
    Path err = root.resolve("err");
    Path out = root.resolve("out");
    try (FdtServer server =
        TestSpark.server(root.resolve("server"))
            .export(Export.readOnly("data", root.resolve("source")))
            .build()) {
      server.start();
      List<String> words = new ArrayList<>(spark());
      words.addAll(
          List.of(
              "--class",
              "io.fdt.spark.Copy",
              jar().toString(),
              "copy",
              "--accept-new",
              "-r",
              "--report",
              root.resolve("report.json").toString(),
              "--token-file",
              root.resolve("server/token").toString(),
              TestSpark.url(server, "/data/tree"),
              target.toString()));
      ProcessBuilder builder =
          new ProcessBuilder(words)
              .redirectError(err.toFile())
              .redirectOutput(out.toFile())
              .redirectInput(new File("/dev/null"));
      builder.environment().put("FDT_HOME", root.resolve("home").toString());
      Process submit = builder.start();
      try {
        assertThat(submit.waitFor(90, TimeUnit.SECONDS)).isTrue();
      } finally {
        submit.destroyForcibly();
      }

      assertThat(submit.exitValue()).as(Files.readString(err)).isZero();
    }
    assertThat(Files.readString(out)).startsWith("3 files copied, 5,000,008 bytes moved");
    shell("diff -r source/tree target/tree && test -e target/tree/$(printf 'byte\\377')");
    assertThat(Files.getLastModifiedTime(target.resolve("tree/a")))
        .isEqualTo(Files.getLastModifiedTime(source));
    assertThat(root.resolve("report.json")).content().contains("\"exit_status\":0,");
  }

  /** Runs a script in the directory of the test: Java cannot say all names. */
  private void shell(String script) throws Exception {
    Process process =
        new ProcessBuilder("sh", "-ec", script).directory(root.toFile()).inheritIO().start();
    assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(script).isZero();
  }

  private static Path jar() {
    Path jar = Path.of("target/fdt-spark.jar").toAbsolutePath();
    assertThat(jar).as("built by the phase package").exists();
    return jar;
  }

  /** Spark's own start, with its jars and nothing of ours. */
  private static List<String> spark() {
    String classPath =
        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(path -> path.endsWith(".jar"))
            .filter(
                path -> !path.matches(".*/(fdt-[^/]*|jackson-core-3[^/]*|picocli[^/]*|jna-[^/]*)"))
            .collect(Collectors.joining(File.pathSeparator));
    List<String> words = new ArrayList<>();
    words.add(Path.of(System.getProperty("java.home"), "bin/java").toString());
    words.addAll(List.of("-Xmx512m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(argument -> argument.startsWith("--add-opens"))
        .forEach(words::add);
    words.addAll(List.of("-cp", classPath, "org.apache.spark.deploy.SparkSubmit"));
    for (String setting :
        List.of(
            "spark.ui.enabled=false",
            "spark.serializer=org.apache.spark.serializer.KryoSerializer",
            "spark.driver.bindAddress=127.0.0.1",
            "spark.driver.host=127.0.0.1")) {
      words.addAll(List.of("--conf", setting));
    }
    words.addAll(List.of("--master", "local[2]"));
    return words;
  }
}
