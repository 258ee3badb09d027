package io.fdt.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.client.FdtClient;
import io.fdt.client.NettestRequest;
import io.fdt.client.Transfer;
import io.fdt.client.TransferListener;
import io.fdt.client.TransferReport;
import io.fdt.client.TransferRequest;
import io.fdt.core.unit.ByteSize;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is told of transfers: each figure is that of its name, and of no other. */
class ServerFiguresTest {
  private static final int FILES = 7;
  private static final int BYTES = 1000;

  /** A header of a frame. */
  private static final int HEADER = 40;

  @TempDir Path directory;

  private FdtServer server;
  private FdtClient client;

  @BeforeEach
  void start() throws Exception {
    Files.createDirectory(directory.resolve("in"));
    server =
        FdtServer.builder()
            .port(0)
            .bind("127.0.0.1")
            .export(Export.readWrite("in", directory.resolve("in")))
            .metrics(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .build();
    server.start();
    client = FdtClient.builder("127.0.0.1").port(server.address().getPort()).build();
  }

  @AfterEach
  void stop() {
    client.close();
    server.close();
  }

  @Test
  void filesThatFailAreNotDone() throws Exception {
    pushWithTwoThatFail();

    Map<String, Double> figures = scrape();
    String files = "fdt_files_total{direction=\"push\",export=\"in\",result=\"";
    assertThat(of(figures, files + "done\"")).isEqualTo(FILES - 2);
    assertThat(of(figures, files + "failed\"")).isEqualTo(2);
    assertThat(of(figures, files + "unchanged\"")).isZero();
  }

  @Test
  void headersAreOnTheWireOnly() throws Exception {
    pushWithTwoThatFail();

    Map<String, Double> figures = scrape();
    String ofPush = "{direction=\"push\",export=\"in\"";
    double payload = of(figures, "fdt_payload_bytes_total" + ofPush);
    assertThat(payload).isEqualTo((FILES - 2) * BYTES);
    assertThat(of(figures, "fdt_wire_bytes_total" + ofPush))
        .isGreaterThanOrEqualTo(payload + HEADER);
  }

  private void pushWithTwoThatFail() throws Exception {
    Path source = Files.createDirectory(directory.resolve("source"));
    for (int i = 0; i < FILES; i++) {
      Files.write(source.resolve("file" + i), new byte[BYTES]);
    }
    for (String taken : new String[] {"file0", "file1"}) { // a directory has the name
      Files.createDirectories(directory.resolve("in/source").resolve(taken));
    }

    TransferReport report =
        client
            .start(
                TransferRequest.push().source(source).destination("/in").recursive(true).build(),
                TransferListener.NONE)
            .completion()
            .get(60, TimeUnit.SECONDS);
    assertThat(report.figures().files().failed()).isEqualTo(2);
    awaitFigure("fdt_sessions_ended_total{direction=\"push\",export=\"in\",result=\"done\"", 1);
  }

  @Test
  void streamsOfATransferThatRunsAreCounted() throws Exception {
    Transfer transfer =
        client.start(
            new NettestRequest(
                TransferRequest.Direction.PULL,
                3,
                Duration.ofSeconds(60),
                ByteSize.ofBytes(1 << 16),
                ByteSize.ofBytes(0)));
    awaitFigure("fdt_streams{direction=\"pull\",export=\"\"", 3);
    awaitFigure("fdt_sessions_running{direction=\"pull\",export=\"\"", 1);

    transfer.close();

    awaitFigure("fdt_streams{direction=\"pull\",export=\"\"", 0);
    awaitFigure("fdt_sessions_running{direction=\"pull\",export=\"\"", 0);
  }

  private void awaitFigure(String start, double value) {
    Awaitility.await(start)
        .atMost(30, TimeUnit.SECONDS)
        .untilAsserted(() -> assertThat(of(scrape(), start)).isEqualTo(value));
  }

  /** That of the only sample that begins so; -1 for none. */
  private static double of(Map<String, Double> figures, String start) {
    return figures.entrySet().stream()
        .filter(figure -> figure.getKey().startsWith(start))
        .map(Map.Entry::getValue)
        .findFirst()
        .orElse(-1.0);
  }

  private Map<String, Double> scrape() throws Exception {
    InetSocketAddress address = server.metricsAddress().orElseThrow();
    URI uri = URI.create("http://127.0.0.1:" + address.getPort() + "/metrics");
    String text =
        HttpClient.newHttpClient()
            .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
            .body();
    return text.lines()
        .filter(line -> !line.startsWith("#"))
        .collect(
            Collectors.toMap(
                line -> line.substring(0, line.lastIndexOf(' ')),
                line -> Double.valueOf(line.substring(line.lastIndexOf(' ') + 1))));
  }
}
