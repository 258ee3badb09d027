package io.fdt.webdav;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.filter.FileAccess;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files over HTTP in the metrics and in the access log, with the same figures. */
class MovedBytesTest {
  private static final String PULLED = "{direction=\"pull\",export=\"data\",token=\"own\"}";
  private static final String PUSHED = "{direction=\"push\",export=\"in\",token=\"own\"}";

  @TempDir Path root;
  private Site site;

  @BeforeEach
  void serve() throws Exception {
    site =
        new Site(
            root,
            builder -> builder.metrics(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)));
    Files.writeString(site.data.resolve("file"), "0123456789");
  }

  @AfterEach
  void stop() {
    site.close();
  }

  private Map<String, Double> metrics() throws Exception {
    URI address =
        URI.create(
            "http://127.0.0.1:"
                + site.server.metricsAddress().orElseThrow().getPort()
                + "/metrics");
    String text =
        HttpClient.newHttpClient()
            .send(HttpRequest.newBuilder(address).build(), BodyHandlers.ofString())
            .body();
    Map<String, Double> samples = new TreeMap<>();
    text.lines()
        .filter(line -> !line.startsWith("#"))
        .forEach(
            line -> {
              int end = line.lastIndexOf(' ');
              samples.put(line.substring(0, end), Double.parseDouble(line.substring(end + 1)));
            });
    return samples;
  }

  private SSLSocket sendPartly() throws Exception {
    SSLSocket socket = site.connect();
    String head =
        "PUT /in/cut HTTP/1.1\r\nHost: x\r\n" + site.authorization() + "Content-Length: 99\r\n\r\n";
    socket.getOutputStream().write((head + "1234567").getBytes(StandardCharsets.US_ASCII));
    socket.getOutputStream().flush();
    return socket;
  }

  private double logged(boolean isPull) {
    return site.log.stream()
        .filter(one -> one.client().isPull() == isPull)
        .mapToDouble(FileAccess::bytes)
        .sum();
  }

  @Test
  void theAccessLogAndTheMetricsHaveTheSameBytes() throws Exception {
    site.ask("GET", "/data/file");
    site.ask("HEAD", "/data/file");
    site.ask("GET", "/data/none");
    site.ask("GET", "/data/");
    site.ask("GET", "/data/file", "Range", "bytes=0-2");
    site.ask("GET", "/data/file", "Range", "bytes=0-2,5-5");
    site.put("PUT", "/in/x", new byte[5]);
    site.put("PUT", "/in/y", new byte[4], "Digest", "adler32=00000000");
    site.put("PUT", "/in/z", new byte[4], "Content-Range", "bytes 0-3/6");
    site.put("PUT", "/in/z", new byte[2], "Content-Range", "bytes 4-5/6");
    site.ask("COPY", "/data/file", "Destination", "/in/copy");
    sendPartly().close();
    Site.await(() -> site.log.stream().anyMatch(one -> one.path().equals("/in/cut")));

    assertThat(metrics())
        .containsEntry("fdt_payload_bytes_total" + PULLED, 10.0 + 3 + 4)
        .containsEntry("fdt_payload_bytes_total" + PUSHED, 5.0 + 4 + 6 + 10 + 7)
        .containsEntry("fdt_sessions_running" + PUSHED, 0.0)
        .containsEntry("fdt_streams" + PUSHED, 0.0)
        .containsEntry(
            "fdt_files_total{direction=\"push\",export=\"in\",result=\"done\",token=\"own\"}", 3.0)
        .containsEntry(
            "fdt_files_total{direction=\"push\",export=\"in\",result=\"failed\",token=\"own\"}",
            2.0);
    assertThat(logged(true)).isEqualTo(10 + 3 + 4);
    assertThat(logged(false)).isEqualTo(5 + 4 + 6 + 10 + 7);
  }

  @Test
  void aTransferIsInTheMetricsWhileItRuns() throws Exception {
    try (SSLSocket socket = sendPartly()) {
      Site.await(() -> Double.valueOf(7).equals(metrics().get("fdt_payload_bytes_total" + PUSHED)));
      assertThat(metrics())
          .containsEntry("fdt_sessions_running" + PUSHED, 1.0)
          .containsEntry("fdt_streams" + PUSHED, 1.0);
      assertThat(socket.isConnected()).isTrue();
    }
  }
}
