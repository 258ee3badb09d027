package io.fdt.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fdt.service.value.Secrets;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A client that a kept generator makes of the description at /api/openapi.json, against a service
 * that runs. The generator comes from PyPI, once for each list of versions.
 */
@Timeout(300)
class PythonClientTest {
  private static final Path SOURCES = Path.of("src", "test", "python").toAbsolutePath();
  private static final Path LIBRARIES = Path.of("target", "python").toAbsolutePath();

  @TempDir private Path root;

  private record Result(int status, String output) {}

  private Result run(Path directory, String... command) throws IOException, InterruptedException {
    Path output = Files.createTempFile(root, "python", ".out");
    ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
    builder.environment().put("PYTHONPATH", root + File.pathSeparator + LIBRARIES);
    builder.environment().put("PYTHONDONTWRITEBYTECODE", "1");
    Process process = builder.redirectErrorStream(true).redirectOutput(output.toFile()).start();
    try {
      assertThat(process.waitFor(240, TimeUnit.SECONDS)).as(String.join(" ", command)).isTrue();
    } finally {
      process.destroyForcibly();
    }
    return new Result(process.exitValue(), Files.readString(output));
  }

  /** Gets the generator; {@code .ci/count-tests} knows the first messages. */
  private void getGenerator() throws Exception {
    for (String program : List.of("python3", "pip3")) {
      boolean isInstalled =
          Arrays.stream(System.getenv("PATH").split(File.pathSeparator, -1))
              .anyMatch(one -> Files.isExecutable(Path.of(one, program)));
      assumeTrue(isInstalled, "not installed: " + program);
    }
    Path list = SOURCES.resolve("requirements.txt");
    Path whole =
        LIBRARIES.resolve(Secrets.hash(Files.readString(list)).substring(0, 12) + ".whole");
    if (!Files.exists(whole)) {
      Result fetched =
          run(
              root,
              "pip3",
              "install",
              "--quiet",
              "--no-deps",
              "--only-binary=:all:",
              "--upgrade",
              "--target",
              LIBRARIES.toString(),
              "--requirement",
              list.toString());
      assumeTrue(fetched.status() == 0, "PyPI does not give the generator of clients");
      Files.createFile(whole);
    }
  }

  @Test
  void aGeneratedClientSubmitsWaitsAndReadsEvents() throws Exception {
    getGenerator();
    Site site = new Site(root);
    try {
      site.write("run/file", 1000, 1);
      site.write("run/left.tmp", 10, 2);
      TransferService service = site.service();
      Rest rest = site.rest(service.url());
      site.addEndpoints(rest);
      Path description = root.resolve("openapi.json");
      Files.writeString(description, rest.get("/api/openapi.json").expect(200).text());

      Result generated =
          run(
              root,
              "python3",
              "-m",
              "openapi_python_client",
              "generate",
              "--path",
              description.toString(),
              "--config",
              SOURCES.resolve("generator.yml").toString(),
              "--meta",
              "none",
              "--output-path",
              root.resolve("fdt_service").toString());
      assertThat(generated.output()).doesNotContainIgnoringCase("warning", "error");
      assertThat(generated.status()).as(generated.output()).isZero();

      Result ran =
          run(
              root,
              "python3",
              SOURCES.resolve("transfer.py").toString(),
              service.url().replaceFirst("/$", ""),
              site.commandToken(),
              "a",
              "/data/run",
              "b",
              "/inc/");
      assertThat(ran.status()).as(ran.output()).isZero();
      assertThat(List.of(ran.output().split("\n")))
          .satisfiesExactly(
              line -> assertThat(line).isEqualTo("succeeded 1 1000 True"),
              line -> assertThat(line).startsWith("1 submitted"),
              line -> assertThat(line).isEqualTo("2 started attempt 1"),
              line -> assertThat(line).startsWith("3 succeeded 1 file transferred"),
              line -> assertThat(line).startsWith("Problem 404 there is no endpoint 'nowhere'"));
      assertThat(site.incoming.resolve("run")).isDirectoryContaining("glob:**/file");
      assertThat(site.incoming.resolve("run/left.tmp")).doesNotExist();
    } finally {
      site.close();
    }
  }
}
