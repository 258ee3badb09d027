package io.fdt.compare;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * A process under GNU time, which reports its resource usage and that of its children.
 *
 * <p>It is killed at a deadline: some rivals hang.
 */
public final class MeasuredProcess implements AutoCloseable {
  static final Duration DEADLINE = Duration.ofMinutes(10);

  private static final File NOTHING = new File("/dev/null");
  private static final Duration START = Duration.ofMinutes(1);

  private final Process time;
  private final Path figures;
  private final Path output;
  private final long startNanos = System.nanoTime();

  private MeasuredProcess(Process time, Path figures, Path output) {
    this.time = time;
    this.figures = figures;
    this.output = output;
  }

  /**
   * Starts a process with additional environment variables; its output is kept in {@code
   * directory}.
   */
  static MeasuredProcess start(
      Path directory, Map<String, String> environment, List<String> command) throws IOException {
    return start(directory, environment, command, ProcessBuilder.Redirect.from(NOTHING));
  }

  /** Starts a process whose standard input ends with {@link #endInput}, or with this program. */
  static MeasuredProcess startWithInput(
      Path directory, Map<String, String> environment, List<String> command) throws IOException {
    return start(directory, environment, command, ProcessBuilder.Redirect.PIPE);
  }

  private static MeasuredProcess start(
      Path directory,
      Map<String, String> environment,
      List<String> command,
      ProcessBuilder.Redirect input)
      throws IOException {
    Path figures = Files.createTempFile(directory, "time-", ".txt");
    Path output = Files.createTempFile(directory, "output-", ".txt");
    List<String> line =
        new ArrayList<>(List.of("time", "-q", "-o", figures.toString(), "-f", "%U %S %M"));
    line.addAll(command);
    ProcessBuilder builder = new ProcessBuilder(line).directory(directory.toFile());
    builder.redirectInput(input).redirectErrorStream(true);
    builder.redirectOutput(output.toFile()).environment().putAll(environment);
    return new MeasuredProcess(builder.start(), figures, output);
  }

  /**
   * The command that runs a class of this program in its own process, with the garbage collector of
   * the jar.
   */
  static List<String> java(Class<?> main, String... arguments) {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-cp",
                Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                    .map(part -> Path.of(part).toAbsolutePath().toString())
                    .collect(Collectors.joining(File.pathSeparator)),
                main.getName()));
    command.addAll(List.of(arguments));
    return command;
  }

  /** Waits for the end of the process; a failure is an exception. */
  public Cost end() throws IOException, InterruptedException {
    if (!time.waitFor(DEADLINE.toSeconds(), TimeUnit.SECONDS)) {
      throw new IOException("still running after " + DEADLINE + ": " + this);
    }
    double wall = (System.nanoTime() - startNanos) / 1e9;
    if (time.exitValue() != 0) {
      throw new IOException("status " + time.exitValue() + ": " + this);
    }
    return cost(wall);
  }

  /** Closes the standard input of the process. */
  void endInput() throws IOException {
    time.getOutputStream().close();
  }

  /** Whether the process runs. */
  public boolean isAlive() {
    return time.isAlive();
  }

  /** The processor seconds of the process so far, in steps of 10 ms. */
  double cpuSeconds() {
    return time.children()
        .flatMap(process -> process.info().totalCpuDuration().stream())
        .mapToDouble(used -> used.toMillis() / 1e3)
        .sum();
  }

  /** Ends the process with SIGTERM, and returns its resource usage. */
  public Cost stop() throws IOException, InterruptedException {
    time.children().forEach(ProcessHandle::destroy);
    if (!time.waitFor(20, TimeUnit.SECONDS)) {
      time.descendants().forEach(ProcessHandle::destroyForcibly);
      time.waitFor();
    }
    return cost(0);
  }

  private Cost cost(double wall) throws IOException {
    String[] lines = Files.readString(figures).strip().split("\n", -1);
    String[] numbers = lines[lines.length - 1].split(" ", -1);
    return new Cost(
        wall,
        Double.parseDouble(numbers[0]) + Double.parseDouble(numbers[1]),
        Double.parseDouble(numbers[2]) * 1024 / 1e6);
  }

  /** Waits until its output contains a text. */
  void awaitOutput(String text, Duration atMost) throws IOException, InterruptedException {
    await("prints " + text, atMost, () -> output().contains(text));
  }

  /** The port of an FDT server, once clients can connect. */
  String readyPort() throws IOException, InterruptedException {
    awaitOutput("READY port=", START);
    return output().replaceAll("(?s).*READY port=(\\d+).*", "$1");
  }

  /** Waits until a process listens on a port of this machine. */
  void awaitPort(int port) throws IOException, InterruptedException {
    await("listens on port " + port, START, () -> listens(port));
  }

  /** Reads the kernel's table: a probing connection would confuse servers that serve one client. */
  private static boolean listens(int port) {
    String wanted = ":%04X 0".formatted(port);
    return listening(Path.of("/proc/net/tcp"), wanted)
        || listening(Path.of("/proc/net/tcp6"), wanted);
  }

  private static boolean listening(Path table, String wanted) {
    try {
      return Files.readAllLines(table).stream()
          .anyMatch(line -> line.contains(wanted) && line.contains(" 0A "));
    } catch (IOException e) {
      return false; // no IPv6 here
    }
  }

  private void await(String what, Duration atMost, java.util.function.BooleanSupplier reached)
      throws IOException, InterruptedException {
    long deadline = System.nanoTime() + atMost.toNanos();
    while (!reached.getAsBoolean()) {
      if (!time.isAlive() || System.nanoTime() > deadline) {
        throw new IOException("never " + what + ": " + this);
      }
      Thread.sleep(10);
    }
  }

  /** The output of the process so far. */
  public String output() {
    try {
      return Files.readString(output, java.nio.charset.StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    time.descendants().forEach(ProcessHandle::destroyForcibly);
    time.destroyForcibly();
  }

  @Override
  public String toString() {
    String text = output().strip();
    return time.info().commandLine().orElse("the process")
        + "\n"
        + text.substring(Math.max(0, text.length() - 2000));
  }
}
