package io.fdt.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Clients that announce a body and send one byte of it. */
@Timeout(120)
class SlowBodiesTest {
  private static final int MANY = 900;

  @TempDir private Path root;
  private Site site;
  private TransferService service;
  private final List<Socket> sockets = new ArrayList<>();

  @BeforeEach
  void start() throws Exception {
    site = new Site(root);
    service = site.service();
  }

  @AfterEach
  void end() throws Exception {
    for (Socket socket : sockets) {
      socket.close();
    }
    site.close();
  }

  private Socket begin(String path, String... headers) throws IOException {
    Socket socket = connect();
    send(socket, path, headers);
    return socket;
  }

  private Socket connect() throws IOException {
    URI uri = URI.create(service.url());
    Socket socket = new Socket(uri.getHost(), uri.getPort());
    sockets.add(socket);
    socket.setSoTimeout(60_000);
    return socket;
  }

  private static void send(Socket socket, String path, String... headers) throws IOException {
    String head =
        "POST %s HTTP/1.1\r\nHost: localhost\r\n%s\r\nContent-Length: 100\r\n\r\n{"
            .formatted(path, String.join("\r\n", headers));
    socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
  }

  private static String statusOf(Socket socket) throws IOException {
    return new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII);
  }

  /** The answer up to the end of its body, an object of JSON. */
  private static String answerOf(Socket socket) throws IOException {
    StringBuilder answer = new StringBuilder();
    InputStream in = socket.getInputStream();
    for (int next = in.read(); next >= 0 && next != '}'; next = in.read()) {
      answer.append((char) next);
    }
    return answer.toString();
  }

  /** Threads that work on a request, or wait for a part of one. */
  private static long busy() {
    return Thread.getAllStackTraces().values().stream()
        .filter(
            trace ->
                Stream.of(trace)
                    .anyMatch(frame -> frame.getClassName().contains("service.web.HttpService")))
        .count();
  }

  /** The service has seen all heads, waits for bodies, and no thread of it waits. */
  private void assertNoThreadIsHeld() throws IOException {
    await().atMost(Duration.ofSeconds(60)).until(() -> busy() == 0);
    Socket last = sockets.get(sockets.size() - 1);
    assertThat(last.getInputStream().available()).as("no answer yet").isZero();
  }

  /** From 900 networks, so that no limit of one network holds them up. */
  @Test
  void nineHundredSlowBodiesOfStrangersHoldNoThreadAndKeepNobodyOut() throws Exception {
    // Connected before, so that 513 heads come within the 5 s that a body has.
    for (int i = 0; i < MANY; i++) {
      Socket unused = connect();
    }
    for (int i = 0; i < MANY; i++) {
      send(
          sockets.get(i),
          "/api/v1/session",
          "X-FDT-Page: 1",
          "X-Forwarded-For: 198.18.%d.%d".formatted(i >> 8, i & 255));
    }
    // The oldest makes way for the newest.
    assertThat(answerOf(sockets.get(0)))
        .startsWith("HTTP/1.1 408")
        .contains("too many bodies are on their way");
    assertNoThreadIsHeld();
    Rest stranger = new Rest(service.url(), "");
    for (int i = 0; i < 20; i++) {
      stranger.get("/healthz").expect(200);
    }
    Map<String, Object> link = Map.of("link", service.signInLink().replaceFirst(".*#link=", ""));
    stranger.send("POST", "/api/v1/session", link, "X-FDT-Page", "1").expect(200);
    assertThat(statusOf(sockets.get(MANY - 1))).as("after 5 s").isEqualTo("HTTP/1.1 408");
  }

  @Test
  void theSlowBodiesOfOneUserHoldNoThreadAndKeepNoOtherUserOut() throws Exception {
    String token = site.commandToken();
    Object reader =
        new Rest(service.url(), token)
            .post("/api/v1/tokens", Map.of("label", "x", "user", "bob", "role", "reader"))
            .expect(201)
            .json()
            .get("token");
    for (int i = 0; i < 32; i++) {
      begin("/api/v1/tasks", "Authorization: Bearer " + reader);
    }
    assertNoThreadIsHeld();
    new Rest(service.url(), token).get("/api/v1/tasks").expect(200);
    List<String> all = new ArrayList<>();
    all.add(statusOf(begin("/api/v1/tasks", "Authorization: Bearer " + reader)));
    for (Socket socket : sockets.subList(0, 32)) {
      all.add(statusOf(socket));
    }
    assertThat(all).startsWith("HTTP/1.1 429").endsWith("HTTP/1.1 408");
  }

  /** Of all that strangers send, only a link is read. */
  @Test
  void aLongBodyOfAStrangerIsRefusedByItsHead() throws Exception {
    new Rest(service.url(), "")
        .send("POST", "/api/v1/session", Map.of("link", "x".repeat(20_000)), "X-FDT-Page", "1")
        .expect(413);
  }
}
