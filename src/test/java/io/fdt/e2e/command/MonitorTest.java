package io.fdt.e2e.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.e2e.Content;
import io.fdt.e2e.JsonLines;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.RunningCommand;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** A program reads all figures of a transfer, whichever end sends, and over UDP, too. */
@Execution(ExecutionMode.CONCURRENT)
class MonitorTest {
  private static final int MIB = 1 << 20;

  @RegisterExtension private final Lab lab = new Lab();
  private RunningCommand server;
  private String address;

  @BeforeEach
  void serve() {
    Content.write(lab.directory("source").resolve("large"), 14 * MIB, 1);
    lab.directory("target");
    server = lab.serve("--export", "source", "--export", "target:rw");
    address = "fdt://127.0.0.1:" + server.port();
  }

  private List<JsonNode> copy(String... words) {
    List<String> all = new ArrayList<>(List.of("copy", "--json", "--limit", "48Mbit/s"));
    all.addAll(List.of(words));
    Outcome outcome = lab.run(lab.root(), all.toArray(String[]::new)).expect(0);
    return JsonLines.of(JsonLines.events(outcome), "monitor");
  }

  @ParameterizedTest
  @CsvSource({
    "PULL/source/large, copied, tcp",
    "source/large, PULL/target/, tcp",
    "PULL/source/large, copied, udt"
  })
  void bothEndsAndEachStreamAreSeen(String from, String to, String transport) {
    List<JsonNode> events =
        copy(
            "--monitor",
            "-P",
            "3",
            "--transport",
            transport,
            from.replace("PULL", address),
            to.replace("PULL", address));

    JsonNode last = checked(events);
    assertThat(last.get("open_streams").asInt()).isEqualTo(3);
    assertThat(last.get("streams")).hasSize(3);
    for (JsonNode stream : last.get("streams")) {
      assertThat(stream.get("round_trip_micros").asLong()).isPositive();
      assertThat(stream.get("window_bytes").asLong()).isPositive();
    }
    // On a busy machine something else may limit it for a second.
    assertThat(events).anyMatch(event -> event.get("limited_by").asString().equals("rate_limit"));
    assertThat(events.stream().flatMap(event -> event.get("streams").valueStream()))
        .anyMatch(stream -> stream.get("bytes_per_second").asLong() > 100_000);
    assertThat(last.get("congestion").asString().startsWith("udt-"))
        .isEqualTo(transport.equals("udt"));
  }

  @Test
  void betweenTwoServersTheClientSeesBoth() {
    RunningCommand other = lab.serve("--export", "target:rw");

    List<JsonNode> events =
        copy(
            "--monitor",
            "--accept-new",
            address + "/source/large",
            "fdt://127.0.0.1:" + other.port() + "/target/");

    assertThat(checked(events).get("streams")).hasSize(4);
  }

  /** Returns the last one; all of them have what every monitor shows. */
  private static JsonNode checked(List<JsonNode> events) {
    assertThat(events).isNotEmpty();
    Instant before = Instant.MIN;
    for (JsonNode event : events) {
      Instant now = Instant.parse(event.get("time").asString());
      if (!before.equals(Instant.MIN)) {
        // A second, but for what a busy machine does before it says the time.
        assertThat(Duration.between(before, now)).isGreaterThanOrEqualTo(Duration.ofMillis(700));
      }
      before = now;
    }
    JsonNode last = events.get(events.size() - 1);
    assertThat(last.get("blocks").asLong()).isPositive();
    assertThat(events).anyMatch(event -> event.get("bytes_per_second").asLong() > 0);
    for (String end : List.of("sender", "receiver")) {
      assertThat(last.get(end).get("process_bytes").asLong()).as(end).isGreaterThan(10 * MIB);
      assertThat(last.get(end).get("budget_bytes").asLong()).as(end).isPositive();
      assertThat(last.get(end).get("disks")).as(end).hasSize(1);
    }
    return last;
  }

  @Test
  void withoutATerminalThereAreLines() {
    Path copied = lab.root().resolve("copied");
    Outcome outcome =
        lab.run(lab.root(), "copy", "--monitor", address + "/source/large", copied.toString())
            .expect(0);

    assertThat(outcome.err()).contains("--monitor needs a terminal at standard input");
    assertThat(outcome.summary()).startsWith("done: 1 file");
    assertThat(copied).exists();
  }
}
