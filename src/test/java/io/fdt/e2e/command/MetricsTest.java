package io.fdt.e2e.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fdt.e2e.Content;
import io.fdt.e2e.Lab;
import io.fdt.e2e.RunningCommand;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a server tells Prometheus: the format, and that the figures are those of what happened. */
class MetricsTest {
  /** A line of the text format, version 0.0.4: name, labels, value. */
  private static final Pattern SAMPLE =
      Pattern.compile(
          "([a-zA-Z_:][a-zA-Z0-9_:]*)"
              + "(\\{(?:[a-zA-Z_][a-zA-Z0-9_]*=\"(?:[^\"\\\\\\n]|\\\\[\\\\\"n])*\",?)*})?"
              + " ([0-9.eE+-]+|NaN|[+-]Inf)");

  private static final Pattern COMMENT =
      Pattern.compile("# (HELP [a-zA-Z_:][a-zA-Z0-9_:]* .*|TYPE [a-zA-Z_:][a-zA-Z0-9_:]* [a-z]+)");

  private static final Duration DEADLINE = Duration.ofSeconds(30);

  @RegisterExtension final Lab lab = new Lab();

  private RunningCommand server;
  private String address;

  @BeforeEach
  void serve() {
    Path data = lab.directory("data");
    Content.write(data.resolve("a/b/c/large"), 3 << 20, 1);
    Content.write(data.resolve("a/small"), 1000, 2);
    lab.directory("in");
    server = lab.serve("--export", "data", "--export", "in:rw", "--metrics", "0");
    Matcher line =
        Pattern.compile("(?m)^metrics at (http://127.0.0.1:\\d+/metrics)$").matcher(server.out());
    assertThat(line.find()).as(server.out()).isTrue();
    address = line.group(1);
  }

  @Test
  void figuresAreThoseOfTheTransfers() throws Exception {
    lab.run(lab.root(), Lab.clientOf(server, "-r", "-pull", "-d", "copy", "/data/")).expect(0);
    lab.run(lab.root(), Lab.clientOf(server, "-r", "-pull", "-d", "copy", "/data/")).expect(0);
    lab.run(lab.root(), Lab.clientOf(server, "-d", "/in", "data/a/small")).expect(0);
    lab.run(lab.root(), Lab.clientOf(server, "-d", "/data", "data/a/small")).expect(4);

    String pulled = "{direction=\"pull\",export=\"data\",token=\"own\"}";
    String pushed = "{direction=\"push\",export=\"in\",token=\"own\"}";
    String refused = "{direction=\"push\",export=\"data\",result=\"forbidden\",token=\"own\"}";
    await("sessions have ended at the server too")
        .atMost(DEADLINE)
        .untilAsserted(
            () ->
                assertThat(scrape())
                    .containsEntry("fdt_sessions_ended_total" + with("done", pulled), 2.0)
                    .containsEntry("fdt_sessions_ended_total" + with("done", pushed), 1.0)
                    .containsEntry("fdt_clients", 0.0));
    assertThat(scrape())
        .containsEntry("fdt_payload_bytes_total" + pulled, (3 << 20) + 1000.0)
        .containsEntry("fdt_payload_bytes_total" + pushed, 1000.0)
        .containsEntry("fdt_files_total" + with("done", pulled), 2.0)
        .containsEntry("fdt_files_total" + with("unchanged", pulled), 2.0)
        .containsEntry("fdt_sessions_running" + pulled, 0.0)
        .containsEntry("fdt_streams" + pulled, 0.0)
        .containsEntry("fdt_blocks_waiting_bytes" + pulled, 0.0)
        .containsKey("fdt_tcp_segments_repeated_total" + pulled)
        .containsEntry("fdt_sessions_ended_total" + refused, 1.0);
    assertThat(scrape().get("fdt_wire_bytes_total" + pulled)).isGreaterThan(3 << 20);
  }

  @Test
  void bytesThatReplacedFilesHaveAreCounted() throws Exception {
    Path large = lab.root().resolve("data/a/b/c/large");
    String[] copy = {
      "copy", "--delta", "always", large.toString(), "fdt://127.0.0.1:" + server.port() + "/in/"
    };
    lab.run(lab.root(), copy).expect(0);
    Files.setLastModifiedTime(large, FileTime.fromMillis(1_000_000));
    lab.run(lab.root(), copy).expect(0);

    String pushed = "{direction=\"push\",export=\"in\",token=\"own\"}";
    await("the second session has ended at the server too")
        .atMost(DEADLINE)
        .untilAsserted(
            () ->
                assertThat(scrape())
                    .containsEntry("fdt_payload_bytes_total" + pushed, 3.0 * (1 << 20))
                    .containsEntry("fdt_matched_bytes_total" + pushed, 3.0 * (1 << 20)));
  }

  /** Labels are in the order of their names. */
  private static String with(String result, String labels) {
    return labels.replace(",token", ",result=\"" + result + "\",token");
  }

  @Test
  void whoIsRefusedIsCounted() throws Exception {
    lab.runAt(
            lab.root().resolve("another-home"),
            lab.root(),
            Lab.clientOf(server, "--accept-new", "-ls", "/"))
        .expect(4);

    assertThat(scrape()).containsEntry("fdt_refusals_total{reason=\"unauthenticated\"}", 1.0);
  }

  /** All samples, by name and labels; every line must be one that the format knows. */
  private Map<String, Double> scrape() throws Exception {
    HttpResponse<String> response =
        HttpClient.newHttpClient()
            .send(
                HttpRequest.newBuilder(URI.create(address)).timeout(DEADLINE).build(),
                HttpResponse.BodyHandlers.ofString());
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.headers().firstValue("Content-Type").orElse(""))
        .startsWith("text/plain; version=0.0.4");
    Map<String, Double> samples = new HashMap<>();
    for (String line : List.of(response.body().split("\n"))) {
      if (line.startsWith("#")) {
        assertThat(line).matches(COMMENT);
      } else {
        Matcher sample = SAMPLE.matcher(line);
        assertThat(sample.matches()).as(line).isTrue();
        String labels = sample.group(2) == null ? "" : sample.group(2);
        assertThat(samples.put(sample.group(1) + labels, Double.valueOf(sample.group(3)))).isNull();
      }
    }
    return samples;
  }
}
