package io.fdt.e2e.copy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.e2e.Content;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.RunningCommand;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * What a client says of a server that is not there, or is none, and a server of clients that are
 * none.
 */
@Execution(ExecutionMode.CONCURRENT)
class PeerTest {
  private static final byte[] PREFACE_START = {(byte) 0x89, 'F', 'D', 'T', '\r', '\n', 0x1a, '\n'};
  private static final int PREFACE_LENGTH = 16;
  private static final int VERSION = 3;

  /** Of the releases before. */
  private static final int OTHER_VERSION = 1;

  /** Connecting and the answer to it have 10 s each; the rest is for a busy machine. */
  private static final Duration SECONDS = Duration.ofSeconds(25);

  @RegisterExtension final Lab lab = new Lab();

  private final CountDownLatch testOver = new CountDownLatch(1);

  @AfterEach
  void letPeersGo() {
    testOver.countDown();
  }

  @Test
  void nobodyListens() throws IOException {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    assertEndsWith(3, port, "127.0.0.1:" + port, "connection refused");
  }

  @Test
  void unknownHost() {
    Outcome outcome = lab.run(lab.root(), "-c", "no-such-host.invalid", "/data").expect(3);

    assertThat(outcome.problems()).singleElement().asString().contains("no-such-host.invalid");
    assertThat(outcome.elapsed()).isLessThan(SECONDS);
  }

  @Test
  void peerIsAWebServer() throws IOException {
    try (ServerSocket peer = peer(socket -> answer(socket, "HTTP/1.1 400 Bad Request\r\n\r\n"))) {
      assertEndsWith(3, peer.getLocalPort(), "FDT");
    }
  }

  @Test
  void peerSpeaksFirst() throws IOException {
    try (ServerSocket peer = peer(socket -> answer(socket, "SSH-2.0-OpenSSH_9.2p1\r\n"))) {
      assertEndsWith(3, peer.getLocalPort(), "FDT");
    }
  }

  @Test
  void peerClosesAtOnce() throws IOException {
    try (ServerSocket peer = peer(socket -> {})) {
      assertEndsWith(3, peer.getLocalPort(), "closed");
    }
  }

  @Test
  void peerIsSilent() throws IOException {
    try (ServerSocket peer = peer(socket -> testOver.await())) {
      assertEndsWith(3, peer.getLocalPort(), " s");
    }
  }

  @Test
  void peerSpeaksAnotherVersion() throws IOException {
    try (ServerSocket peer =
        peer(
            socket -> {
              socket.getInputStream().readNBytes(PREFACE_LENGTH);
              socket.getOutputStream().write(preface(OTHER_VERSION, 0));
              testOver.await();
            })) {
      assertEndsWith(
          3, peer.getLocalPort(), "version 1", "version 3", "use the same release at both ends");
    }
  }

  @Test
  void serverTellsAClientOfAnotherVersionItsOwnAndCloses() throws IOException {
    RunningCommand server = lab.serve("--export", lab.directory("data").toString());
    try (Socket client = connect(server.port())) {
      client.getOutputStream().write(preface(OTHER_VERSION, 1));

      assertThat(client.getInputStream().readAllBytes()).isEqualTo(preface(VERSION, 0));
    }
  }

  @Test
  void serverClosesOnWhoIsNoClient() throws IOException {
    RunningCommand server = lab.serve("--export", lab.directory("data").toString());
    try (Socket client = connect(server.port())) {
      client
          .getOutputStream()
          .write("GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));

      assertThat(readUntilClosed(client)).isLessThanOrEqualTo(PREFACE_LENGTH);
    }
    assertThat(server.isAlive()).isTrue();
    Content.write(lab.root().resolve("data/f"), 3, 1);
    String port = Integer.toString(server.port());
    lab.run(lab.directory("here"), "-c", "127.0.0.1", "-p", port, "/data/f").expect(0);
  }

  @Test
  void serverSaysWhyItCannotListen() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String port = Integer.toString(taken.getLocalPort());

      Outcome outcome = lab.run(lab.root(), "serve", "--port", port, "--bind", "127.0.0.1", "/tmp");

      assertThat(outcome.status()).isNotZero();
      assertThat(outcome.problems()).singleElement().asString().contains(port);
      assertThat(outcome.out()).doesNotContain("READY");
    }
  }

  @Test
  void serverSaysWhichExportIsNotThere() {
    Outcome outcome = lab.run(lab.root(), "serve", "--port", "0", "--export", "nowhere");

    assertThat(outcome.status()).isNotZero();
    assertThat(outcome.problems()).singleElement().asString().contains("nowhere");
  }

  private void assertEndsWith(int status, int port, String... words) {
    Outcome outcome =
        lab.run(lab.root(), "-c", "127.0.0.1", "-p", Integer.toString(port), "/data")
            .expect(status);
    assertThat(outcome.problems()).singleElement().asString().contains(words);
    assertThat(outcome.elapsed()).isLessThan(SECONDS);
  }

  /** What a peer does with a connection; it is closed afterwards. */
  private interface Behaviour {
    void meet(Socket socket) throws IOException, InterruptedException;
  }

  /** Listens, and meets each connection on a thread of its own until it is closed. */
  private static ServerSocket peer(Behaviour behaviour) throws IOException {
    ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    CompletableFuture.runAsync(() -> accept(listener, behaviour), task -> start("peer", task));
    return listener;
  }

  private static void accept(ServerSocket listener, Behaviour behaviour) {
    while (!listener.isClosed()) {
      try {
        Socket socket = listener.accept();
        start("peer-connection", () -> meet(socket, behaviour));
      } catch (IOException e) {
        return; // closed: the test is over
      }
    }
  }

  private static void meet(Socket socket, Behaviour behaviour) {
    try (socket) {
      behaviour.meet(socket);
    } catch (IOException e) {
      return; // the client has gone
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void start(String name, Runnable task) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    thread.start();
  }

  private static void answer(Socket socket, String text) throws IOException {
    OutputStream out = socket.getOutputStream();
    out.write(text.getBytes(StandardCharsets.US_ASCII));
    out.flush();
    socket.shutdownOutput();
    readUntilClosed(socket);
  }

  private static long readUntilClosed(Socket socket) throws IOException {
    socket.setSoTimeout((int) SECONDS.toMillis());
    InputStream in = socket.getInputStream();
    long bytes = 0;
    try {
      while (in.read() >= 0) {
        bytes++;
      }
    } catch (java.net.SocketException e) {
      return bytes; // reset is closed too
    }
    return bytes;
  }

  private static Socket connect(int port) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout((int) SECONDS.toMillis());
    return socket;
  }

  private static byte[] preface(int version, int kind) {
    byte[] preface = new byte[PREFACE_LENGTH];
    System.arraycopy(PREFACE_START, 0, preface, 0, PREFACE_START.length);
    preface[9] = (byte) version;
    preface[10] = (byte) kind;
    return preface;
  }
}
