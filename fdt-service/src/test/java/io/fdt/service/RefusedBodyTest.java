package io.fdt.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.service.web.auth.UserLimits;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A client that still sends when it is refused gets the whole answer, and no reset. */
@Timeout(120)
class RefusedBodyTest {
  private static final int PART = 64 << 10;
  private static final int PARTS = 64;
  private static final int MIB = 1 << 20;

  @TempDir private Path root;
  private Site site;
  private TransferService service;

  @BeforeEach
  void start() throws Exception {
    site = new Site(root);
    service = site.service();
  }

  @AfterEach
  void end() throws Exception {
    site.close();
  }

  private Socket connect() throws IOException {
    URI uri = URI.create(service.url());
    Socket socket = new Socket(uri.getHost(), uri.getPort());
    socket.setSoTimeout(30_000);
    return socket;
  }

  private static byte[] head(String token, String... headers) {
    String head =
        String.join(
            "\r\n",
            "POST /api/v1/tasks HTTP/1.1",
            "Host: localhost",
            "Authorization: Bearer " + token,
            String.join("\r\n", headers),
            "",
            "");
    return head.getBytes(StandardCharsets.US_ASCII);
  }

  /** Bytes of a body; in its last form a chunk. */
  private static byte[] part(boolean isChunked) {
    byte[] part = new byte[PART];
    Arrays.fill(part, (byte) 'x');
    if (isChunked) {
      byte[] size = (Integer.toHexString(PART - 8) + "\r\n").getBytes(StandardCharsets.US_ASCII);
      System.arraycopy(size, 0, part, 0, size.length); // "fff8" and two line ends: 8 bytes
      part[PART - 2] = '\r';
      part[PART - 1] = '\n';
    }
    return part;
  }

  private static String rest(int first, InputStream in) throws IOException {
    return (char) first + new String(in.readAllBytes(), StandardCharsets.UTF_8);
  }

  @ParameterizedTest
  @CsvSource({
    "413, good, false, false",
    "413, good, true, false",
    "413, good, true, true",
    "401, wrong, false, false",
    "401, wrong, true, false"
  })
  void theAnswerArrives(int status, String token, boolean isChunked, boolean isAnnounced)
      throws Exception {
    byte[] head =
        head(
            token.equals("good") ? site.commandToken() : token,
            "Connection: close",
            isAnnounced ? "Expect: 100-continue" : "X-Expect: nothing",
            isChunked ? "Transfer-Encoding: chunked" : "Content-Length: " + PARTS * PART);
    byte[] part = part(isChunked);
    try (Socket socket = connect()) {
      OutputStream out = socket.getOutputStream();
      InputStream in = socket.getInputStream();
      out.write(head);
      if (isAnnounced) {
        String go = "HTTP/1.1 100 Continue\r\n\r\n";
        assertThat(new String(in.readNBytes(go.length()), StandardCharsets.US_ASCII)).isEqualTo(go);
      }
      for (int i = 0; i < PARTS / 2; i++) {
        out.write(part);
      }
      int first = in.read(); // the answer is there, and half of the body is not
      for (int i = PARTS / 2; i < PARTS; i++) {
        out.write(part);
      }
      out.write((isChunked ? "0\r\n\r\n" : "").getBytes(StandardCharsets.US_ASCII));
      assertThat(rest(first, in))
          .startsWith("HTTP/1.1 " + status)
          .contains("\r\n\r\n{\"type\"")
          .endsWith("}");
    }
  }

  /** No client has the service read for ever: it sees an end, and not a reset. */
  @Test
  void whoeverGoesOnSendingSeesTheEnd() throws Exception {
    AtomicLong sent = new AtomicLong();
    long start = System.nanoTime();
    Thread sender;
    try (Socket socket = connect()) {
      OutputStream out = socket.getOutputStream();
      out.write(head("wrong", "Transfer-Encoding: chunked"));
      sender = new Thread(() -> send(out, sent));
      sender.start();
      InputStream in = socket.getInputStream();
      assertThat(rest(in.read(), in)).startsWith("HTTP/1.1 401").endsWith("}");
      long seconds = Duration.ofNanos(System.nanoTime() - start).toSeconds() + 1;
      long buffers = 16L * MIB; // of both sockets
      assertThat(sent.get()).isLessThan(UserLimits.DROPPED_PER_SECOND * (4 + seconds) + buffers);
    }
    sender.join();
  }

  private static void send(OutputStream out, AtomicLong sent) {
    byte[] part = part(true);
    try {
      while (sent.get() < 1L << 30) {
        out.write(part);
        sent.addAndGet(part.length);
      }
    } catch (IOException e) {
      assertThat(sent.get()).isPositive(); // the end that was expected
    }
  }
}
