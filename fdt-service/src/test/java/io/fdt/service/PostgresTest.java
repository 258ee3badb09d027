package io.fdt.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fdt.core.error.FdtException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The service on a PostgreSQL server of its own, which the distribution's package brings. */
@Timeout(120)
class PostgresTest {
  /** PostgreSQL does not run as root; this user is in every Linux. */
  private static final String NOBODY = "nobody";

  @TempDir private Path root;
  private Path programs;
  private Path cluster;
  private int port;
  private Site site;

  @BeforeEach
  void start() throws Exception {
    Optional<Path> installed = programs();
    assumeTrue(installed.isPresent(), "not installed: postgresql");
    programs = installed.get();
    cluster = Files.createTempDirectory(Path.of("/tmp"), "fdt-postgres-");
    Files.setPosixFilePermissions(cluster, PosixFilePermissions.fromString("rwxrwxrwx"));
    run("initdb", "-D", cluster + "/data", "-U", "fdt", "-A", "trust", "--no-sync");
    port = freePort();
    startPostgres();
    run("createdb", "-h", "127.0.0.1", "-p", "" + port, "-U", "fdt", "fdt");
    site = new Site(root);
    site.write("run/large", 8 * Site.MIB, 1);
  }

  @AfterEach
  void end() throws Exception {
    if (site != null) {
      site.close();
    }
    if (cluster != null) {
      if (port != 0) {
        run("pg_ctl", "-D", cluster + "/data", "-m", "immediate", "stop");
      }
      assertThat(new ProcessBuilder("rm", "-rf", cluster.toString()).start().waitFor()).isZero();
    }
  }

  private void startPostgres() throws Exception {
    String options = "-c listen_addresses=127.0.0.1 -c port=%d -c unix_socket_directories=%s -F";
    run(
        "pg_ctl",
        "-D",
        cluster + "/data",
        "-w",
        "-l",
        cluster + "/log",
        "-o",
        options.formatted(port, cluster),
        "start");
  }

  private static Optional<Path> programs() throws IOException {
    Path versions = Path.of("/usr/lib/postgresql");
    if (!Files.isDirectory(versions)) {
      return Optional.empty();
    }
    try (DirectoryStream<Path> found = Files.newDirectoryStream(versions)) {
      for (Path version : found) {
        if (Files.isExecutable(version.resolve("bin/initdb"))) {
          return Optional.of(version.resolve("bin"));
        }
      }
    }
    return Optional.empty();
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private void run(String program, String... arguments) throws Exception {
    List<String> command = new ArrayList<>();
    if (System.getProperty("user.name").equals("root")) {
      command.addAll(List.of("setpriv", "--reuid=" + NOBODY, "--clear-groups", "--"));
    }
    command.add(programs.resolve(program).toString());
    command.addAll(List.of(arguments));
    Path output = Files.createTempFile(root, "postgres", ".out");
    Process process =
        new ProcessBuilder(command)
            .directory(cluster.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(() -> read(output)).isZero();
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      return e.toString();
    }
  }

  private ServiceOptions options() throws FdtException {
    return ServiceOptions.parse(
        List.of(
            "--port",
            "0",
            "--database",
            "jdbc:postgresql://127.0.0.1:" + port + "/fdt?user=fdt&password=hidden"),
        Map.of(),
        root.resolve("fdt"));
  }

  @Test
  void oneSettingAndTasksOutliveTheDatabasesRestart() throws Exception {
    try (TransferService service = TransferService.start(options(), "tester", root)) {
      Rest rest = site.rest(service.url());
      site.addEndpoints(rest);
      Map<String, Object> slow = Site.slow();
      Object task = rest.post("/api/v1/tasks", slow).expect(201).json().get("task_id");
      await("data that flows")
          .atMost(Duration.ofSeconds(60))
          .until(() -> (Long) rest.task(task).get("bytes_done") > 0);

      run("pg_ctl", "-D", cluster + "/data", "-m", "immediate", "stop");
      rest.get("/api/v1/tasks").expect(503);
      startPostgres();

      await("the database is back")
          .atMost(Duration.ofSeconds(60))
          .until(() -> rest.get("/api/v1/tasks").status() == 200);
      assertThat(rest.end(task)).containsEntry("state", "succeeded").containsEntry("attempts", 1L);
      assertThat(rest.events(task)).containsExactly("submitted", "started", "succeeded");
      assertThat(site.incoming.resolve("run/large"))
          .hasSameBinaryContentAs(site.data.resolve("run/large"));
    }
  }

  @Test
  void twoServicesDoNotShareADatabase() throws Exception {
    try (TransferService service = TransferService.start(options(), "tester", root)) {
      ServiceOptions other =
          ServiceOptions.parse(
              List.of("--port", "0", "--database", options().database()),
              Map.of(),
              root.resolve("other"));
      assertThat(service.url()).isNotEmpty();
      assertThatThrownBy(() -> TransferService.start(other, "tester", root).close())
          .hasMessageContaining("another fdt service uses it")
          .message()
          .doesNotContain("hidden");
    }
  }
}
