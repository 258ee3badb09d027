package io.fdt.e2e.copy;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A web server that is wrong never makes a wrong file. */
class WrongWebServerTest {
  private static final Pattern RANGE = Pattern.compile("bytes=(\\d+)-(\\d+)");
  private static final int CHANGES_AT = 3 << 20;

  @RegisterExtension final Lab lab = new Lab();

  private final byte[] content = new byte[5_000_001];
  private HttpServer server;
  private String digest = "";
  private boolean changes;

  @BeforeEach
  void serve() throws IOException {
    new Random(1).nextBytes(content);
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private void answer(HttpExchange exchange) throws IOException {
    Matcher range = RANGE.matcher("" + exchange.getRequestHeaders().getFirst("Range"));
    int start = range.matches() ? Integer.parseInt(range.group(1)) : 0;
    int end = range.matches() ? Integer.parseInt(range.group(2)) + 1 : content.length;
    boolean isChanged = changes && start >= CHANGES_AT;
    var headers = exchange.getResponseHeaders();
    headers.set("ETag", isChanged ? "\"2\"" : "\"1\"");
    headers.set("Last-Modified", "Sun, 13 Sep 2020 12:26:40 GMT");
    if (!digest.isEmpty()) {
      headers.set("Repr-Digest", "sha-256=:" + digest + ":");
    }
    if (exchange.getRequestMethod().equals("HEAD")) {
      headers.set("Content-Length", "" + content.length);
      exchange.sendResponseHeaders(200, -1);
    } else {
      headers.set("Content-Range", "bytes %d-%d/%d".formatted(start, end - 1, content.length));
      exchange.sendResponseHeaders(range.matches() ? 206 : 200, end - start);
      try (OutputStream out = exchange.getResponseBody()) {
        out.write(Arrays.copyOfRange(content, start, end));
      }
    }
    exchange.close();
  }

  private Outcome copy() {
    String url = "http://127.0.0.1:" + server.getAddress().getPort() + "/file";
    return lab.run(lab.root(), "copy", url, "in/");
  }

  private Path copied() {
    return lab.root().resolve("in/file");
  }

  @Test
  void theDigestOfTheServerIsCompared() throws Exception {
    digest = base64(new byte[1]);
    assertThat(copy().expect(5).err()).contains("the file whose sha-256 the server gives");
    assertThat(copied()).doesNotExist();
    assertThat(copy().expect(5).err()).contains("the file whose sha-256 the server gives");

    digest = base64(content);
    copy().expect(0);
    assertThat(Files.readAllBytes(copied())).isEqualTo(content);
  }

  private static String base64(byte[] bytes) throws Exception {
    return Base64.getEncoder().encodeToString(MessageDigest.getInstance("SHA-256").digest(bytes));
  }

  @Test
  void aFileThatChangesInTheMiddleGetsNoName() throws IOException {
    changes = true;
    assertThat(copy().expect(1).err()).contains("changed on the server");
    assertThat(copied()).doesNotExist();

    changes = false;
    copy().expect(0);
    assertThat(Files.readAllBytes(copied())).isEqualTo(content);
  }
}
