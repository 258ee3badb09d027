package io.fdt.e2e.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fdt.e2e.Arrived;
import io.fdt.e2e.Content;
import io.fdt.e2e.FaultyNetwork;
import io.fdt.e2e.FaultyNetwork.Gate;
import io.fdt.e2e.JsonLines;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Tree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import tools.jackson.databind.JsonNode;

/** Planners and workers that are killed (SIGKILL). */
@Execution(ExecutionMode.CONCURRENT)
class PlanProcessTest {
  private static final Duration DEADLINE = Duration.ofSeconds(60);
  private static final int MIB = 1 << 20;

  @RegisterExtension final Lab lab = new Lab();

  private final List<FaultyNetwork> networks = new ArrayList<>();

  @AfterEach
  void closeNetworks() throws IOException {
    for (FaultyNetwork network : networks) {
      network.close();
    }
  }

  /** The port where a server is found through a network of this test. */
  private int network(RunningCommand server, Gate gate) {
    FaultyNetwork network = new FaultyNetwork(server.port(), gate);
    networks.add(network);
    return network.port();
  }

  /** The unit of a killed worker is taken over, and what its journal holds is not sent again. */
  @Test
  void anotherWorkerContinuesTheFileOfAKilledOne() throws IOException {
    Path source = lab.directory("source");
    Content.write(source.resolve("large"), 24 * MIB, 1);
    RunningCommand server = lab.serve("--export", "data=" + source);
    Gate gate = new Gate(10 * MIB);
    String url = "fdt://127.0.0.1:" + network(server, gate) + "/data/";
    lab.run(lab.root(), "plan", "--dir", "plan", "--accept-new", "-r", url, "copy").expect(0);
    RunningCommand first = lab.startProcess(lab.root(), "worker", "--plan", "plan");
    Path copy = lab.root().resolve("copy");
    await().atMost(DEADLINE).until(() -> !first.isAlive() || journaled(copy) > 4 * MIB);
    assertThat(lab.run(lab.root(), "plan", "status", "plan").expect(0).out())
        .contains("; 1 worker\n");
    first.kill();
    assertThat(first.end().status()).isNotZero();
    assertThat(lab.run(lab.root(), "plan", "status", "plan").expect(0).out())
        .as("a killed worker is not shown as alive")
        .contains("; 0 workers\n");
    gate.open();
    long kept = journaled(copy);
    assertThat(copy.resolve("large")).doesNotExist();

    Outcome second = lab.run(lab.root(), "worker", "--plan", "plan").expect(0);

    assertThat(second.err()).contains("is taken over").contains("shows no sign of life");
    Tree.assertSame(copy, source);
    Path log = lab.root().resolve("plan/log/000/000000.2.jsonl");
    String summary = Files.readAllLines(log).get(1);
    assertThat(number(summary, "bytes_kept")).isGreaterThanOrEqualTo(kept);
    assertThat(number(summary, "bytes") + number(summary, "bytes_kept")).isEqualTo(24 * MIB);
  }

  /**
   * What a killed worker had verified is not sent again, nor what the journal of its range holds.
   */
  @Test
  void ofARangeOfAKilledWorkerOnlyWhatIsMissingIsSentAgain() throws IOException {
    Path source = lab.directory("source");
    Content.write(source.resolve("large"), 24 * MIB, 1);
    RunningCommand server = lab.serve("--export", "data=" + source);
    Gate gate = new Gate(19 * MIB); // almost two ranges, less what of a block waits
    String url = "fdt://127.0.0.1:" + network(server, gate) + "/data/";
    String[] words = {
      "plan", "--dir", "plan", "--accept-new", "--unit-bytes", "10M", "-r", url, "copy"
    };
    lab.run(lab.root(), words).expect(0);
    RunningCommand first = lab.startProcess(lab.root(), "worker", "--plan", "plan");
    Path copy = lab.root().resolve("copy");
    await().atMost(DEADLINE).until(() -> !first.isAlive() || journaled(copy) > 13 * MIB);
    first.kill();
    gate.open();
    long kept = journaled(copy);
    assertThat(copy.resolve("large")).doesNotExist();
    Path range = lab.root().resolve("plan/state/000/000000.1.ok");
    assertThat(range).as("the first range").exists();

    lab.run(lab.root(), "worker", "--plan", "plan").expect(0);

    Tree.assertSame(copy, source);
    Path report = lab.root().resolve("report.json");
    Files.writeString(report, lab.run(lab.root(), "plan", "report", "plan").expect(0).out());
    long sent = JsonLines.report(report).get("summary").get("bytes").asLong();
    // What the killed worker had in flight has no summary; it is 10 MiB of the first range and
    // this.
    assertThat(sent).isLessThanOrEqualTo(10 * MIB + 24 * MIB - kept);
  }

  /**
   * The server keeps the session of a worker that was killed, and its lock of the range, until it
   * hears from the next attempt, whose working directory may be another one.
   */
  @Test
  void aServerGivesTheRangeOfAKilledWorkerToOneInAnotherDirectory() throws IOException {
    Path source = lab.directory("source");
    Content.write(source.resolve("large"), 16 * MIB, 1);
    Path copy = lab.directory("copy");
    RunningCommand server = lab.serve("--export", "in=" + copy + ":rw");
    Gate gate = new Gate(6 * MIB);
    String url = "fdt://127.0.0.1:" + network(server, gate) + "/in";
    String[] words = {
      "plan", "--dir", "plan", "--accept-new", "--unit-bytes", "8M", "-r", "source/", url
    };
    lab.run(lab.root(), words).expect(0);
    String plan = lab.root().resolve("plan").toString();
    RunningCommand first = lab.startProcess(lab.directory("one"), "worker", "--plan", plan);
    await().atMost(DEADLINE).until(() -> !first.isAlive() || journaled(copy) >= MIB);
    first.kill();
    gate.open();
    assertThat(copy.resolve("large")).doesNotExist();

    lab.startProcess(lab.directory("other"), "worker", "--plan", plan).end().expect(0);

    Tree.assertSame(copy, source);
  }

  /** A worker that is stopped for longer than the takeover time, and goes on. */
  @Test
  void aWorkerThatWasOnlySlowHarmsNothing() throws IOException {
    Path source = lab.directory("source");
    Content.write(source.resolve("large"), 16 * MIB, 1);
    Content.write(source.resolve("small"), 1000, 2);
    RunningCommand server = lab.serve("--export", "data=" + source);
    Gate gate = new Gate(10 * MIB);
    String url = "fdt://127.0.0.1:" + network(server, gate) + "/data/";
    String[] words = {
      "plan", "--dir", "plan", "--accept-new", "--takeover", "6", "-r", url, "copy"
    };
    lab.run(lab.root(), words).expect(0);
    RunningCommand slow = lab.startProcess(lab.root(), "worker", "--plan", "plan");
    Path copy = lab.root().resolve("copy");
    await().atMost(DEADLINE).until(() -> !slow.isAlive() || journaled(copy) > 4 * MIB);
    slow.signal("STOP");
    gate.open();

    RunningCommand other = lab.start(lab.root(), "worker", "--plan", "plan");
    Path failed = lab.root().resolve("plan/state/000/000000.2.failed");
    await().atMost(DEADLINE).until(() -> !other.isAlive() || Files.exists(failed));
    slow.signal("CONT");

    assertThat(other.end().expect(0).err()).contains("is taken over");
    slow.end().expect(0);
    Tree.assertSame(copy, source);
    Path report = lab.root().resolve("report.json");
    Files.writeString(report, lab.run(lab.root(), "plan", "report", "plan").expect(0).out());
    JsonNode summary = JsonLines.report(report).get("summary");
    assertThat(summary.get("files_failed").asInt()).isZero();
    assertThat(summary.get("exit_status").asInt()).isZero();
    assertThat(summary.get("bytes").asLong()).isLessThan(20 * MIB);
  }

  @Test
  void anInterruptedWorkerSaysHowToGoOn() throws Exception {
    Path source = lab.directory("source");
    Content.write(source.resolve("large"), 16 * MIB, 1);
    RunningCommand server = lab.serve("--export", "data=" + source);
    Gate gate = new Gate(10 * MIB);
    String url = "fdt://127.0.0.1:" + network(server, gate) + "/data/";
    lab.run(lab.root(), "plan", "--dir", "plan", "--accept-new", "-r", url, "copy").expect(0);
    RunningCommand worker = lab.startProcess(lab.root(), "worker", "--plan", "plan");
    Path copy = lab.root().resolve("copy");
    await().atMost(DEADLINE).until(() -> !worker.isAlive() || journaled(copy) > 4 * MIB);

    worker.signal("INT");

    Outcome interrupted = worker.end().expect(130);
    assertThat(interrupted.err()).contains("run the same command again to continue");
    gate.open();
    lab.run(lab.root(), "worker", "--plan", "plan").expect(0);
    Tree.assertSame(copy, source);
  }

  /** Bytes of the ranges in the journal of the only unfinished file; 0 for none. */
  private static long journaled(Path directory) {
    return Files.isDirectory(directory) ? Arrived.in(directory).kept() : 0;
  }

  private static long number(String event, String name) {
    return JsonLines.valid(JsonLines.EVENT, event).get(name).asLong();
  }

  @Test
  void aKilledPlannerIsContinued() throws IOException {
    Path source = lab.directory("source");
    for (int i = 0; i < 1500; i++) {
      Files.writeString(source.resolve("f" + i), "x");
    }
    RunningCommand server = lab.serve("--export", "data=" + source);
    String[] words = {
      "plan",
      "--dir",
      "plan",
      "--accept-new",
      "--unit-files",
      "1",
      "-r",
      "fdt://127.0.0.1:" + server.port() + "/data/",
      "copy"
    };
    RunningCommand planner = lab.startProcess(lab.root(), words);
    Path early = lab.root().resolve("plan/units/000/000050.jsonl");
    await()
        .atMost(DEADLINE)
        .pollInterval(Duration.ofMillis(2))
        .until(() -> !planner.isAlive() || Files.exists(early));
    planner.signal("STOP");
    assertThat(lab.run(lab.root(), words).expect(1).problems())
        .singleElement()
        .asString()
        .contains("another planner works in");
    planner.kill();
    assertThat(lab.root().resolve("plan/plan.json")).doesNotExist();
    Object before = Files.getAttribute(early, "unix:ino");
    lab.run(lab.root(), "worker", "--plan", "plan").expect(1);

    Outcome planned = lab.run(lab.root(), words).expect(0);

    assertThat(planned.out()).contains("1,500 files").contains("in 1,500 units");
    assertThat(Files.getAttribute(early, "unix:ino")).as("a unit that was right").isEqualTo(before);
  }
}
