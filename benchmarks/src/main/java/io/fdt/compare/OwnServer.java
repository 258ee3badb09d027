package io.fdt.compare;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** An FDT server on a free port of a host, and its clients. */
public final class OwnServer implements AutoCloseable {
  /**
   * A host, or a network namespace, for processes.
   *
   * @param prefix of each command there; empty for this machine
   * @param address of the server's host for clients
   */
  public record Place(List<String> prefix, String address) {
    static final Place LOOPBACK = new Place(List.of(), "127.0.0.1");
  }

  private static final Pattern FINGERPRINT = Pattern.compile("SHA256:[A-Za-z0-9_-]{43}");

  private final Path jar;
  private final Path work;
  private final Place place;
  private final MeasuredProcess process;
  private final String port;

  /**
   * Starts a server, and waits until clients can connect.
   *
   * @param work for the output of the processes, and their keys
   * @param exports as {@code serve --export} takes them
   */
  OwnServer(Path jar, Path work, List<String> exports) throws IOException, InterruptedException {
    this(jar, work, Place.LOOPBACK, exports);
  }

  /**
   * Starts a server at another place.
   *
   * @param more arguments of {@code serve}
   */
  public OwnServer(Path jar, Path work, Place place, List<String> exports, String... more)
      throws IOException, InterruptedException {
    this.jar = jar.toAbsolutePath();
    this.work = work;
    this.place = place;
    List<String> words =
        new ArrayList<>(List.of("serve", "--port", "0", "--bind", place.address()));
    for (String export : exports) {
      words.addAll(List.of("--export", export));
    }
    words.addAll(List.of(more));
    process = start(place.prefix(), words);
    port = process.readyPort();
  }

  private MeasuredProcess start(List<String> prefix, List<String> words) throws IOException {
    return start(prefix, words, Map.of("FDT_HOME", home().toString()));
  }

  private MeasuredProcess start(
      List<String> prefix, List<String> words, Map<String, String> environment) throws IOException {
    List<String> command = new ArrayList<>(prefix);
    command.addAll(List.of("java", "-jar", jar.toString()));
    command.addAll(words);
    return MeasuredProcess.start(work, environment, command);
  }

  private Path home() {
    return work.resolve("fdt-home");
  }

  /** Starts a client with these flags of the original FDT, after those that name the server. */
  MeasuredProcess client(String... words) throws IOException {
    return client(List.of(), words);
  }

  /**
   * Starts a client at another place.
   *
   * @param prefix of its command
   */
  public MeasuredProcess client(List<String> prefix, String... words) throws IOException {
    List<String> all =
        new ArrayList<>(
            List.of(
                "-c",
                place.address(),
                "-p",
                port,
                "--accept-new",
                "--token-file",
                token().toString()));
    all.addAll(List.of(words));
    return start(prefix, all);
  }

  /** The server's output so far. */
  public String output() {
    return process.output();
  }

  /** Waits until the server's output contains a text. */
  void awaitOutput(String text, Duration atMost) throws IOException, InterruptedException {
    process.awaitOutput(text, atMost);
  }

  /** The token of the server's user. */
  Path token() {
    return home().resolve("token");
  }

  /** The URL of the server, without a path. */
  String url() {
    return "fdt://" + place.address() + ":" + port;
  }

  /** The fingerprint of the server's key, as an unauthenticated client sees it. */
  String fingerprint() throws IOException, InterruptedException {
    Path stranger = Files.createDirectories(work.resolve("stranger"));
    try (MeasuredProcess ls =
        start(place.prefix(), List.of("ls", url() + "/"), Map.of("FDT_HOME", stranger + ""))) {
      ls.awaitOutput("SHA256:", Duration.ofMinutes(1));
      return first(FINGERPRINT, ls.output());
    }
  }

  /** The first match in the output of a command. */
  static String first(Pattern wanted, String output) throws IOException {
    Matcher found = wanted.matcher(output);
    if (!found.find()) {
      throw new IOException("no " + wanted + " in: " + output);
    }
    return found.group();
  }

  /** The port for clients on this machine. */
  int port() {
    return Integer.parseInt(port);
  }

  /** Starts a command with the keys of this server's user. */
  MeasuredProcess command(String... words) throws IOException {
    return start(List.of(), List.of(words));
  }

  /** Starts a command at another place, with the keys of this server's user. */
  public MeasuredProcess command(List<String> prefix, String... words) throws IOException {
    return start(prefix, List.of(words));
  }

  /** HOST:PORT for clients at other places. */
  public String at() {
    return place.address() + ":" + port;
  }

  /** The file with the server's token, which is used only for this measurement. */
  public Path tokenFile() {
    return home().resolve("token");
  }

  /** The processor seconds of the server so far. */
  double cpuSeconds() {
    return process.cpuSeconds();
  }

  /** Ends the server, and returns its resource usage. */
  public Cost stop() throws IOException, InterruptedException {
    return process.stop();
  }

  @Override
  public void close() {
    process.close();
  }
}
