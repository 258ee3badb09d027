package io.fdt.service;

import static org.awaitility.Awaitility.await;

import io.fdt.core.error.FdtException;
import io.fdt.server.Export;
import io.fdt.server.FdtServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** An endpoint as a process of its own, to be killed. */
final class EndpointProcess implements AutoCloseable {
  private static final Pattern READY = Pattern.compile("READY (\\d+) (\\S+) (\\S+)\n");

  private final Process process;
  private final Path output;

  private EndpointProcess(Process process, Path output) {
    this.process = process;
    this.output = output;
  }

  /** HOME EXPORT DIRECTORY PORT. */
  public static void main(String[] arguments) throws FdtException, InterruptedException {
    FdtServer server =
        FdtServer.builder()
            .export(Export.readWrite(arguments[1], Path.of(arguments[2])))
            .bind("127.0.0.1")
            .port(Integer.parseInt(arguments[3]))
            .trustOwnProcess(false)
            .home(Path.of(arguments[0]))
            .build();
    server.start();
    System.out.println(
        "READY %d %s %s"
            .formatted(server.address().getPort(), server.fingerprint(), server.localToken()));
    new CountDownLatch(1).await();
  }

  /**
   * Starts one, and waits until it is ready.
   *
   * @param port 0 for any
   */
  static EndpointProcess start(Path home, String export, Path directory, int port)
      throws IOException {
    Path output = Files.createTempFile(home.getParent(), "endpoint", ".out");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                // As in the tests' own JVMs.
                "-XX:+UnlockDiagnosticVMOptions",
                "-XX:-BytecodeVerificationRemote",
                "-cp",
                ServiceProcess.classPath(),
                EndpointProcess.class.getName(),
                home.toString(),
                export,
                directory.toString(),
                Integer.toString(port))
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    EndpointProcess endpoint = new EndpointProcess(process, output);
    await("an endpoint that is ready")
        .atMost(Duration.ofSeconds(60))
        .pollInterval(Duration.ofMillis(20))
        .until(() -> READY.matcher(Files.readString(output)).find() || !process.isAlive());
    return endpoint;
  }

  private Matcher ready() throws IOException {
    String text = Files.readString(output);
    Matcher matcher = READY.matcher(text);
    if (!matcher.find()) {
      throw new IllegalStateException(text);
    }
    return matcher;
  }

  int port() throws IOException {
    return Integer.parseInt(ready().group(1));
  }

  String fingerprint() throws IOException {
    return ready().group(2);
  }

  String token() throws IOException {
    return ready().group(3);
  }

  /** What adds it to a service. */
  Map<String, Object> describedAs(String name) throws IOException {
    return new LinkedHashMap<>(
        Map.of(
            "name",
            name,
            "address",
            "127.0.0.1:" + port(),
            "fingerprint",
            fingerprint(),
            "token",
            token(),
            "max_tasks",
            8L));
  }

  /** Ends it as kill -9 does. */
  void kill() throws InterruptedException {
    process.destroyForcibly();
    process.waitFor(30, TimeUnit.SECONDS);
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
