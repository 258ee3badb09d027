package io.fdt.compare;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A server from our jar, on a free port of this machine, and its clients. */
final class OwnServer implements AutoCloseable {
  private final Path jar;
  private final Path work;
  private final MeasuredProcess process;
  private final String port;

  /**
   * Starts it, and waits until clients can connect.
   *
   * @param work for what the processes print, and for their keys
   * @param exports as {@code serve --export} takes them
   */
  OwnServer(Path jar, Path work, List<String> exports) throws IOException, InterruptedException {
    this.jar = jar.toAbsolutePath();
    this.work = work;
    List<String> words = new ArrayList<>(List.of("serve", "--port", "0", "--bind", "127.0.0.1"));
    for (String export : exports) {
      words.addAll(List.of("--export", export));
    }
    process = start(words);
    port = process.readyPort();
  }

  private MeasuredProcess start(List<String> words) throws IOException {
    List<String> command = new ArrayList<>(List.of("java", "-jar", jar.toString()));
    command.addAll(words);
    return MeasuredProcess.start(
        work, Map.of("FDT_HOME", work.resolve("fdt-home").toString()), command);
  }

  /** Starts a client with these words in FDT's spelling, after those that name the server. */
  MeasuredProcess client(String... words) throws IOException {
    List<String> all = new ArrayList<>(List.of("-c", "127.0.0.1", "-p", port));
    all.addAll(List.of(words));
    return start(all);
  }

  /** Where clients find it on this machine. */
  int port() {
    return Integer.parseInt(port);
  }

  /** Starts a command with the keys of this server's user. */
  MeasuredProcess command(String... words) throws IOException {
    return start(List.of(words));
  }

  /** Ends it, and says what it used. */
  Cost stop() throws IOException, InterruptedException {
    return process.stop();
  }

  @Override
  public void close() {
    process.close();
  }
}
