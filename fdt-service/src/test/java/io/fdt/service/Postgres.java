package io.fdt.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

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
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A PostgreSQL server of a test, which the distribution's package brings. */
public final class Postgres {
  /** PostgreSQL does not run as root; this user is in every Linux. */
  private static final String NOBODY = "nobody";

  private final Path output;
  private final Path programs;
  private final Path cluster;
  private final int port;
  private int databases;

  private Postgres(Path output, Path programs) throws Exception {
    this.output = output;
    this.programs = programs;
    cluster = Files.createTempDirectory(Path.of("/tmp"), "fdt-postgres-");
    Files.setPosixFilePermissions(cluster, PosixFilePermissions.fromString("rwxrwxrwx"));
    run(
        "initdb",
        "-D",
        cluster + "/data",
        "-U",
        "fdt",
        "-A",
        "trust",
        "--no-sync",
        "--wal-segsize=1",
        "--locale=C.UTF-8");
    port = freePort();
  }

  /**
   * Starts one. Without the package, the test is left out.
   *
   * @param output for what its programs print
   */
  public static Postgres start(Path output) throws Exception {
    Optional<Path> installed = programs();
    assumeTrue(installed.isPresent(), "not installed: postgresql");
    Postgres server = new Postgres(output, installed.get());
    server.start();
    return server;
  }

  /** The address of a new, empty database. */
  public String database() throws Exception {
    String name = "fdt" + ++databases;
    run("createdb", "-h", "127.0.0.1", "-p", "" + port, "-U", "fdt", name);
    return "jdbc:postgresql://127.0.0.1:" + port + "/" + name + "?user=fdt&password=hidden";
  }

  /** Copies a database into a new one, by a backup that is restored; the result is its address. */
  String restored(String url) throws Exception {
    String from = url.replaceFirst(".*/", "").replaceFirst("\\?.*", "");
    String copy = database();
    String to = copy.replaceFirst(".*/", "").replaceFirst("\\?.*", "");
    String[] server = {"-h", "127.0.0.1", "-p", "" + port, "-U", "fdt"};
    String file = cluster + "/" + from + ".dump";
    run(
        "pg_dump",
        Stream.concat(Stream.of("-Fc", "-f", file, from), Stream.of(server))
            .toArray(String[]::new));
    run(
        "pg_restore",
        Stream.concat(Stream.of("-d", to, file), Stream.of(server)).toArray(String[]::new));
    return copy;
  }

  /** Ends it as loss of power does. */
  void stop() throws Exception {
    run("pg_ctl", "-D", cluster + "/data", "-m", "immediate", "stop");
  }

  /** Ends it as kill -9 does: its processes end without a word. */
  void kill() throws Exception {
    String pid = Files.readAllLines(cluster.resolve("data/postmaster.pid")).get(0);
    ProcessHandle postmaster = ProcessHandle.of(Long.parseLong(pid)).orElseThrow();
    List<ProcessHandle> all =
        Stream.concat(Stream.of(postmaster), postmaster.descendants()).toList();
    all.forEach(ProcessHandle::destroyForcibly);
    await("the end of PostgreSQL")
        .atMost(Duration.ofSeconds(30))
        .until(() -> all.stream().noneMatch(ProcessHandle::isAlive));
  }

  void start() throws Exception {
    String options =
        "-c listen_addresses=127.0.0.1 -c port=%d -c unix_socket_directories=%s -F"
            + " -c autovacuum=off -c max_parallel_workers=0 -c shared_buffers=16MB";
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
    Path printed = Files.createTempFile(output, "postgres", ".out");
    Process process =
        new ProcessBuilder(command)
            .directory(cluster.toFile())
            .redirectErrorStream(true)
            .redirectOutput(printed.toFile())
            .start();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(() -> read(printed)).isZero();
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      return e.toString();
    }
  }

  /** Ends it, and removes its files. */
  public void remove() throws Exception {
    stop();
    assertThat(new ProcessBuilder("rm", "-rf", cluster.toString()).start().waitFor()).isZero();
  }
}
