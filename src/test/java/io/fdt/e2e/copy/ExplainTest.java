package io.fdt.e2e.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fdt.e2e.Content;
import io.fdt.e2e.JsonLines;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.RunningCommand;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import tools.jackson.databind.JsonNode;

/** What limits a transfer is told, whichever end sends; and TCP's congestion control is chosen. */
@Execution(ExecutionMode.CONCURRENT)
class ExplainTest {
  private static final int MIB = 1 << 20;

  @RegisterExtension private final Lab lab = new Lab();
  private Path source;
  private String address;

  @BeforeEach
  void serve() {
    source = lab.directory("source");
    Content.write(source.resolve("large"), 24 * MIB, 1);
    lab.directory("target");
    RunningCommand server =
        lab.serve("--export", source.toString(), "--export", lab.root().resolve("target") + ":rw");
    address = "fdt://127.0.0.1:" + server.port();
  }

  @Test
  void aPersonReadsThatTheLimitLimitsAPush() {
    Outcome outcome =
        lab.run(
                lab.root(),
                "copy",
                "--explain",
                "--limit",
                "48Mbit/s",
                "source/large",
                address + "/target/")
            .expect(0);

    assertThat(outcome.err())
        .contains("limited by the rate limit: ", "what limited it: the rate limit ");
  }

  @Test
  void aPersonReadsThatTheServersLimitLimits() {
    RunningCommand limited =
        lab.serve("--limit", "48Mbit/s", "--export", lab.root().resolve("target") + ":rw");

    Outcome outcome =
        lab.run(
                lab.root(),
                "copy",
                "--explain",
                "source/large",
                "fdt://127.0.0.1:" + limited.port() + "/target/")
            .expect(0);

    assertThat(outcome.err()).contains("what would help: The server's limit holds it back");
  }

  @Test
  void aPersonReadsOnWhichProcessorsThreadsRan() throws Exception {
    String last =
        Files.readString(Path.of("/proc/self/status"))
            .replaceFirst("(?s).*Cpus_allowed_list:\\s*(\\S*[-,])?(\\d+)\n.*", "$2");
    Outcome outcome =
        lab.runProcess(
                lab.root(),
                "copy",
                "--explain",
                "--affinity",
                last,
                "source/large",
                address + "/target/")
            .expect(0);
    assertThat(outcome.err())
        .containsPattern("threads of this host: disk \\S+ on processors " + last)
        .containsPattern("threads of this host: lo\\S* on processors " + last);
  }

  @Test
  void processorsThatAreNotThereAreRefused() {
    Outcome outcome =
        lab.run(lab.root(), "copy", "--affinity", "8191", "source/large", address + "/target/")
            .expect(2);
    assertThat(outcome.problems())
        .singleElement()
        .asString()
        .contains("processors 8191: this process may use ");
  }

  @Test
  void anInterruptedCopyExplainsItsRate() {
    lab.leavesUnfinishedFiles();
    RunningCommand copy =
        lab.startProcess(
            lab.root(),
            "copy",
            "--explain",
            "--limit",
            "8Mbit/s",
            "source/large",
            address + "/target/");
    await().atMost(RunningCommand.DEADLINE).until(() -> copy.err().contains("limited by "));

    copy.signal("INT");

    assertThat(copy.end().expect(130).err())
        .containsSubsequence("interrupted: ", "what limited it: ", "the rate limit ");
  }

  @Test
  void aRefusalNeedsNoExplanation() {
    for (String path : new String[] {"/source/missing", "/nowhere/missing"}) {
      Outcome outcome = lab.run(lab.root(), "copy", "--explain", address + path, "copy");
      assertThat(outcome.status()).isNotZero();
      assertThat(outcome.err()).contains("missing").doesNotContain("what limited it");
    }
  }

  @Test
  void aProgramReadsThatTheLimitLimitsAPull() {
    Outcome outcome =
        lab.run(
                lab.root(),
                "copy",
                "--json",
                "--explain",
                "-rCount",
                "auto",
                "--congestion",
                "reno",
                "--limit",
                "48Mbit/s",
                address + "/source/large",
                "copy")
            .expect(0);

    List<JsonNode> limits = JsonLines.of(JsonLines.events(outcome), "limits");
    assertThat(limits).hasSizeGreaterThanOrEqualTo(2);
    assertThat(limits).anyMatch(e -> e.get("limited_by").asString().equals("rate_limit"));
    assertThat(limits).allMatch(e -> e.get("streams").asInt() <= 4);
    assertThat(limits).anyMatch(e -> e.get("congestion").asString().equals("reno"));
    Content.assertSame(lab.root().resolve("copy"), source.resolve("large"));
  }

  @Test
  void aCongestionControlThatTheSenderDoesNotHaveFailsWithWhy() {
    for (String[] ends :
        new String[][] {
          {address + "/source/large", "copy"}, {"source/large", address + "/target/"}
        }) {
      Outcome outcome =
          lab.run(lab.root(), "copy", "--congestion", "nobodys", ends[0], ends[1]).expect(2);
      assertThat(outcome.err()).contains("does not have the requested congestion control");
    }
  }
}
