package io.fdt.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fdt.client.FdtClient;
import io.fdt.server.Export;
import io.fdt.server.FdtServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who reaches the address of the metrics, without any token, takes a handful of connections. */
class MetricsFloodTest {
  private static final int FLOOD = 100;
  private static final int MOST = 4;
  private static final Duration DEADLINE = Duration.ofSeconds(20);

  @TempDir Path directory;

  private final List<Socket> sockets = new ArrayList<>();
  private FdtServer server;
  private InetSocketAddress metrics;

  @BeforeEach
  void start() throws Exception {
    server =
        FdtServer.builder()
            .port(0)
            .bind("127.0.0.1")
            .export(Export.readWrite("data", directory))
            .metrics(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .build();
    server.start();
    metrics = server.metricsAddress().orElseThrow();
  }

  @AfterEach
  void stop() throws Exception {
    for (Socket socket : sockets) {
      socket.close();
    }
    server.close();
  }

  @Test
  void idleConnectionsAreFewAndEndSoon() throws Exception {
    for (int i = 0; i < FLOOD; i++) {
      connect();
    }

    await("all but a few were closed at once")
        .atMost(Duration.ofSeconds(3))
        .until(() -> open() <= MOST);
    try (FdtClient client =
        FdtClient.builder("127.0.0.1").port(server.address().getPort()).build()) {
      assertThat(client.describeServer()).isNotNull();
    }
    await("the rest after its deadline").atMost(DEADLINE).until(() -> open() == 0);
    assertThat(ask("GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n")).startsWith("HTTP/1.1 200 OK");
  }

  @Test
  void aRequestThatComesByteByByteEndsAtTheSameDeadline() throws Exception {
    Socket slow = connect();
    await("closed")
        .atMost(DEADLINE)
        .pollInterval(Duration.ofMillis(200))
        .until(
            () -> {
              try {
                slow.getOutputStream().write('G');
                return false;
              } catch (IOException e) {
                return true;
              }
            });
  }

  @Test
  void whatIsNoShortRequestIsRefused() throws Exception {
    assertThat(ask("GET /metrics HTTP/1.1\r\nX: " + "x".repeat(9000))).startsWith("HTTP/1.1 431 ");
    assertThat(ask("\r\n\r\n")).startsWith("HTTP/1.1 400 ");
    assertThat(ask("POST /metrics HTTP/1.1\r\n\r\n")).startsWith("HTTP/1.1 405 ");
    assertThat(ask("GET /etc/passwd HTTP/1.1\r\n\r\n")).startsWith("HTTP/1.1 404 ");
  }

  /** The library's own endpoint answers this with a stack trace. */
  @Test
  void noQueryBringsAStackTrace() throws Exception {
    for (String format : List.of("text", "openmetrics", "prometheus-protobuf", "%00")) {
      String answer = ask("GET /metrics?debug=" + format + " HTTP/1.1\r\nHost: a\r\n\r\n");
      assertThat(answer)
          .startsWith("HTTP/1.1 200 OK")
          .contains("fdt_clients")
          .doesNotContain("\tat ");
    }
    String protobuf = "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily";
    String answer = ask("GET /metrics HTTP/1.1\r\nAccept: " + protobuf + "\r\n\r\n");
    assertThat(answer).startsWith("HTTP/1.1 200 OK").contains("fdt_clients");
  }

  @Test
  void openMetricsIsSpokenToWhoWantsIt() throws Exception {
    String answer =
        ask("GET /metrics HTTP/1.1\r\naccept: application/openmetrics-text;version=1.0.0\r\n\r\n");
    assertThat(answer).contains("Content-Type: application/openmetrics-text").endsWith("# EOF\n");
  }

  private Socket connect() throws IOException {
    Socket socket = new Socket();
    socket.connect(metrics);
    sockets.add(socket);
    return socket;
  }

  private String ask(String request) throws IOException {
    Socket socket = connect();
    socket.setSoTimeout((int) DEADLINE.toMillis());
    socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
    return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }

  private long open() throws IOException {
    long open = 0;
    for (Socket socket : sockets) {
      open += isOpen(socket) ? 1 : 0;
    }
    return open;
  }

  private static boolean isOpen(Socket socket) throws IOException {
    socket.setSoTimeout(1);
    try {
      return socket.getInputStream().read() >= 0;
    } catch (SocketTimeoutException e) {
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
