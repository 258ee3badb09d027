package io.fdt.service;

import static org.awaitility.Awaitility.await;

import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The service as a process of its own. */
final class ServiceProcess implements AutoCloseable {
  private static final Pattern READY = Pattern.compile("READY url=(\\S+)");

  private final Process process;
  private final Path output;

  private ServiceProcess(Process process, Path output) {
    this.process = process;
    this.output = output;
  }

  /** Starts one, and waits until it is ready. */
  static ServiceProcess start(Path root, String... options) throws IOException {
    return startIn(root, root.resolve("fdt"), options);
  }

  /** The same with another FDT_HOME. */
  static ServiceProcess startIn(Path root, Path home, String... options) throws IOException {
    return start(root, home, List.of(), options);
  }

  /** The same with options of Java. */
  static ServiceProcess start(Path root, Path home, List<String> java, String... options)
      throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                // As in the tests' own JVMs.
                "-XX:+UnlockDiagnosticVMOptions",
                "-XX:-BytecodeVerificationRemote",
                "-cp",
                classPath(),
                ServiceMain.class.getName(),
                "--port",
                "0"));
    command.addAll(1, java);
    command.addAll(List.of(options));
    Path output = Files.createTempFile(root, "service", ".out");
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("FDT_HOME", home.toString());
    Process process = builder.redirectErrorStream(true).redirectOutput(output.toFile()).start();
    ServiceProcess service = new ServiceProcess(process, output);
    await("a service that is ready")
        .atMost(Duration.ofSeconds(60))
        .pollInterval(Duration.ofMillis(20))
        .until(() -> service.matcher().find() || !process.isAlive());
    return service;
  }

  /** That of this test, whoever has loaded it. */
  static String classPath() {
    if (ServiceMain.class.getClassLoader() instanceof URLClassLoader loader) {
      return Arrays.stream(loader.getURLs())
          .map(URL::getPath)
          .collect(Collectors.joining(File.pathSeparator));
    }
    return System.getProperty("java.class.path");
  }

  private Matcher matcher() throws IOException {
    return READY.matcher(Files.readString(output));
  }

  /** Where its page is. */
  String url() throws IOException {
    Matcher matcher = matcher();
    if (!matcher.find()) {
      throw new IllegalStateException(output());
    }
    return matcher.group(1);
  }

  String output() throws IOException {
    return Files.readString(output);
  }

  /** Ends it as kill -9 does. */
  void kill() throws InterruptedException {
    process.destroyForcibly();
    process.waitFor(30, TimeUnit.SECONDS);
  }

  /** Sends it a signal, such as STOP. */
  void signal(String name) throws IOException, InterruptedException {
    int status =
        new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
    if (status != 0) {
      throw new IOException("kill -" + name + ": status " + status);
    }
  }

  /** Ends it as a user does; the result is its exit status. */
  int stop() throws InterruptedException {
    process.destroy();
    process.waitFor(30, TimeUnit.SECONDS);
    return process.exitValue();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
