package io.fdt.s3;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/**
 * A store in a process of its own, on a free port: versitygw over a directory, or moto in memory,
 * whichever is installed. Its address and keys are properties of this JVM, as the SDK reads them.
 */
final class StoreServer implements AutoCloseable {
  /** The property of the SDK with the address of the store. */
  static final String ENDPOINT = "aws.endpointUrl";

  static final String KEY = "testkey";
  static final String SECRET = "testsecret";
  private static final long START_SECONDS = 30;

  private final Process process;
  final String url;

  private StoreServer(Process process, String url) {
    this.process = process;
    this.url = url;
  }

  /** Starts the first store that is installed; the test is skipped without one. */
  static StoreServer start(Path directory) throws Exception {
    return start(directory, program("versitygw"));
  }

  /** Starts moto, which knows storage classes and encryption; the test is skipped without it. */
  static StoreServer startMoto(Path directory) throws Exception {
    return start(directory, Optional.empty());
  }

  private static StoreServer start(Path directory, Optional<Path> versity) throws Exception {
    Optional<Path> moto = program("moto_server");
    Assumptions.assumeTrue(
        versity.isPresent() || moto.isPresent(), "not installed: versitygw or moto_server");
    int port;
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    List<String> command;
    if (versity.isPresent()) {
      Path files = Files.createDirectory(directory.resolve("versity"));
      command =
          List.of(
              versity.get().toString(),
              "--access=" + KEY,
              "--secret=" + SECRET,
              "--port=127.0.0.1:" + port,
              "--quiet",
              "posix",
              "--sidecar=" + Files.createDirectory(directory.resolve("sidecar")),
              files.toString());
    } else {
      command = List.of(moto.orElseThrow().toString(), "-H", "127.0.0.1", "-p", "" + port);
    }
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("store.out").toFile())
            .start();
    String url = "http://127.0.0.1:" + port;
    Map.of(
            ENDPOINT,
            url,
            "aws.accessKeyId",
            KEY,
            "aws.secretAccessKey",
            SECRET,
            "aws.region",
            "us-east-1")
        .forEach(System::setProperty);
    StoreServer server = new StoreServer(process, url);
    server.awaitStart(port, directory);
    return server;
  }

  static Optional<Path> program(String name) {
    String home = System.getProperty("user.home");
    String places = System.getenv("PATH") + ":" + home + "/go/bin:" + home + "/.local/bin";
    return Stream.of(places.split(":"))
        .map(place -> Path.of(place, name))
        .filter(Files::isExecutable)
        .findFirst();
  }

  private void awaitStart(int port, Path directory) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
    while (System.nanoTime() - end < 0 && process.isAlive()) {
      try {
        new Socket(InetAddress.getLoopbackAddress(), port).close();
        return;
      } catch (IOException e) {
        boolean ended = process.waitFor(20, TimeUnit.MILLISECONDS);
        if (ended) {
          break;
        }
      }
    }
    close();
    throw new IOException("no start: " + Files.readString(directory.resolve("store.out")));
  }

  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
  }
}
