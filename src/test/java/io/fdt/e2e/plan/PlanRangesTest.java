package io.fdt.e2e.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fdt.e2e.Arrived;
import io.fdt.e2e.Content;
import io.fdt.e2e.FaultyNetwork;
import io.fdt.e2e.JsonLines;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Shell;
import io.fdt.e2e.Tree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Plans whose units are ranges of one large file. */
class PlanRangesTest {
  private static final int MIB = 1 << 20;

  /** Five ranges of 2 MiB, the last one of 7 bytes. */
  private static final int SIZE = 8 * MIB + 7;

  @RegisterExtension final Lab lab = new Lab();

  private Path source;
  private Path large;
  private Path copy;

  @BeforeEach
  void makeSource() throws IOException {
    source = lab.directory("source");
    large = Content.write(source.resolve("deep/large"), SIZE, 1);
    Content.write(source.resolve("deep/small"), 1000, 2);
    Files.setLastModifiedTime(large, FileTime.fromMillis(1_600_000_000_123L));
    copy = lab.root().resolve("copy");
  }

  private String served(RunningCommand server, String path) {
    return "fdt://127.0.0.1:" + server.port() + path;
  }

  private Outcome plan(String name, String... words) {
    List<String> all =
        new ArrayList<>(List.of("plan", "--dir", name, "--accept-new", "--unit-bytes", "2M"));
    all.addAll(List.of(words));
    return lab.run(lab.root(), all.toArray(String[]::new)).expect(0);
  }

  private RunningCommand worker(String plan, int index, int count, String... more) {
    List<String> words =
        new ArrayList<>(
            List.of("worker", "--plan", plan, "--index", "" + index, "--of", "" + count));
    words.addAll(List.of(more));
    return lab.start(lab.root(), words.toArray(String[]::new));
  }

  private JsonNode report(String plan) throws IOException {
    Path file = lab.root().resolve("report.json");
    Files.writeString(file, lab.run(lab.root(), "plan", "report", plan).expect(0).out());
    return JsonLines.report(file);
  }

  private JsonNode summary(String plan) throws IOException {
    return report(plan).get("summary");
  }

  private void assertCopied() {
    Tree.assertSame(copy, source);
    assertThat(leftovers()).isEmpty();
  }

  private List<String> leftovers() {
    try (Stream<Path> all = Files.walk(copy)) {
      return all.map(path -> path.getFileName().toString())
          .filter(name -> name.startsWith(".fdt-"))
          .toList();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"crc32c", "blake3", "sha256", "none"})
  void severalWorkersFetchOneFile(String checksum) throws IOException {
    RunningCommand server = lab.serve("--export", "data=" + source);
    String from = served(server, "/data/");

    Outcome planned = plan("plan", "-r", "--checksum", checksum, from, "copy");
    assertThat(planned.out()).startsWith("planned: 2 files, ").contains(" in 7 units");
    List<RunningCommand> workers =
        List.of(worker("plan", 0, 3), worker("plan", 1, 3), worker("plan", 2, 3));
    workers.forEach(worker -> worker.end().expect(0));

    assertCopied();
    JsonNode report = report("plan");
    assertThat(JsonLines.outcomes(report.get("files")))
        .containsExactlyInAnyOrder("done " + copy + "/deep/large", "done " + copy + "/deep/small");
    JsonNode summary = report.get("summary");
    assertThat(summary.get("exit_status").asInt()).isZero();
    assertThat(summary.get("files_done").asInt()).isEqualTo(2);
    assertThat(summary.get("bytes").asLong()).as("each byte once").isEqualTo(SIZE + 1000);
    assertThat(summary.get("bytes_kept").asLong()).isZero();
    assertThat(lab.run(lab.root(), "plan", "status", "plan").expect(0).out())
        .startsWith("7 units: 7 done, 0 running, 0 open, 0 failed; ");

    plan("again", "-r", "--checksum", checksum, from, "copy");
    worker("again", 0, 1).end().expect(0);
    assertThat(summary("again").get("bytes").asLong()).isZero();
    assertThat(summary("again").get("files_unchanged").asInt()).isEqualTo(2);
    assertCopied();
  }

  @Test
  void severalWorkersSendOneFile() throws IOException {
    RunningCommand server = lab.serve("--export", "in=" + lab.directory("copy") + ":rw");

    plan("plan", "-r", "source/", served(server, "/in"));
    List<RunningCommand> workers = List.of(worker("plan", 0, 2), worker("plan", 1, 2));
    workers.forEach(worker -> worker.end().expect(0));

    assertCopied();
    assertThat(summary("plan").get("bytes").asLong()).isEqualTo(SIZE + 1000);
  }

  @Test
  void aBucketGetsWholeFilesAndIsReadInRanges() throws IOException {
    RunningCommand server =
        lab.serve("--export", "data=" + source, "--export", "in=" + lab.directory("copy") + ":rw");

    assertThat(plan("into", "-r", served(server, "/data/"), "memory://planned").out())
        .contains(" in 2 units");
    worker("into", 0, 1).end().expect(0);
    assertThat(plan("out", "-r", "memory://planned/", served(server, "/in")).out())
        .contains(" in 7 units");
    worker("out", 0, 1).end().expect(0);

    assertThat(copy.resolve("deep/large")).hasSameBinaryContentAs(large);
    assertThat(copy.resolve("deep/small")).exists();
    assertThat(lab.root().resolve("memory:")).doesNotExist();
  }

  @Test
  void serversSendOneFileInRanges() throws IOException {
    RunningCommand from = lab.serve("--export", "data=" + source, "--dial-to", "127.0.0.0/8");
    RunningCommand to =
        lab.serve("--export", "in=" + lab.directory("copy") + ":rw", "--dial-to", "127.0.0.0/8");

    plan("plan", "-r", served(from, "/data/"), served(to, "/in"));
    List<RunningCommand> workers = List.of(worker("plan", 0, 2), worker("plan", 1, 2));
    workers.forEach(worker -> worker.end().expect(0));

    assertCopied();
    assertThat(summary("plan").get("bytes").asLong()).isEqualTo(SIZE + 1000);
  }

  /** The destination of a single file may be its new name. */
  @Test
  void oneFileGetsANewName() throws IOException {
    RunningCommand server = lab.serve("--export", "data=" + source);

    plan("plan", served(server, "/data/deep/large"), "copied");
    worker("plan", 0, 1).end().expect(0);

    Content.assertSame(lab.root().resolve("copied"), large);
    assertThat(Files.getLastModifiedTime(lab.root().resolve("copied")))
        .isEqualTo(Files.getLastModifiedTime(large));
    assertThat(summary("plan").get("bytes").asLong()).isEqualTo(SIZE);
  }

  @Test
  void holesStayHoles() throws IOException {
    Shell.run(source, "truncate -s 40M deep/large; truncate -s 64M deep/holes");
    RunningCommand server = lab.serve("--export", "data=" + source);

    plan("plan", "-r", served(server, "/data/"), "copy");
    List<RunningCommand> workers = List.of(worker("plan", 0, 2), worker("plan", 1, 2));
    workers.forEach(worker -> worker.end().expect(0));

    assertCopied();
    assertThat(summary("plan").get("bytes").asLong()).isLessThan(10 * MIB);
    Shell.run(copy, "test $(du -s --block-size=1M . | cut -f 1) -lt 12");
  }

  /**
   * A worker has copied all ranges but one when the source changes: no version is mixed with
   * another one.
   */
  @Test
  void aSourceThatChangesBetweenRangesIsCopiedAsItIsNow() throws IOException {
    RunningCommand server = lab.serve("--export", "data=" + source);
    plan("plan", "-r", served(server, "/data/"), "copy");
    Path claim = lab.root().resolve("plan/state/000/000002.1.claim");
    Files.createDirectories(claim.getParent());
    Files.writeString(claim, "another-worker\n");
    Outcome first = worker("plan", 0, 1, "--no-wait").end().expect(0);
    assertThat(first.out()).contains("unit 000001").doesNotContain("unit 000005");
    assertThat(copy.resolve("deep/large")).doesNotExist();
    assertThat(Arrived.in(copy).kept()).isEqualTo(SIZE - 2 * MIB);

    Content.write(large, SIZE, 77);
    Files.createFile(claim.resolveSibling("000002.1.released"));
    worker("plan", 0, 1).end().expect(0);

    assertCopied();
    assertThat(summary("plan").get("bytes").asLong()).isEqualTo(2L * SIZE - 2 * MIB + 1000);
  }

  /** A file that has another size than when it was cut is told, and copied by one worker. */
  @Test
  void aSourceOfAnotherSizeIsCopiedAsAWhole() throws IOException {
    RunningCommand server = lab.serve("--export", "data=" + source);
    plan("plan", "-r", "--delete", served(server, "/data/"), "copy");
    Content.write(large, SIZE + MIB, 77);
    Files.createDirectories(copy);
    Files.writeString(copy.resolve("extraneous"), "x");

    Outcome outcome = worker("plan", 0, 1, "--attempts", "1").end().expect(0);

    assertThat(outcome.err()).contains("when it was cut into ranges");
    assertCopied();
    assertThat(lab.run(lab.root(), "plan", "status", "plan").expect(0).out())
        .startsWith("7 units: 7 done, 0 running, 0 open, 0 failed; ");
    JsonNode summary = summary("plan");
    assertThat(summary.get("files_failed").asInt()).isZero();
    assertThat(summary.get("files_done").asInt()).isEqualTo(2);
  }

  @Test
  void aMissingSourceFailsOnce() throws IOException {
    RunningCommand server = lab.serve("--export", "data=" + source);
    plan("plan", served(server, "/data/deep/large"), "copied");
    Files.delete(large);

    worker("plan", 0, 1, "--attempts", "1").end().expect(1);

    JsonNode summary = summary("plan");
    assertThat(summary.get("files_failed").asInt()).isEqualTo(1);
    assertThat(summary.get("exit_status").asInt()).isEqualTo(1);
  }

  /** The directory of states is gone: what is on the device is found, and not sent again. */
  @Test
  void withoutItsClaimsAPlanSendsOnlyWhatIsMissing() throws IOException {
    RunningCommand server = lab.serve("--export", "data=" + source);
    plan("plan", "-r", served(server, "/data/"), "copy");
    Path claim = lab.root().resolve("plan/state/000/000003.1.claim");
    Files.createDirectories(claim.getParent());
    Files.writeString(claim, "another-worker\n");
    worker("plan", 0, 1, "--no-wait").end().expect(0);
    Shell.run(lab.root(), "rm -r plan/state plan/log");

    worker("plan", 0, 1).end().expect(0);

    assertCopied();
    assertThat(summary("plan").get("bytes").asLong()).isEqualTo(2 * MIB);
  }

  /** What a plain copy left is continued by the unit of the whole file, and nothing is lost. */
  @Test
  void anInterruptedCopyIsContinued() throws IOException {
    RunningCommand server = lab.serve("--export", "data=" + source);
    FaultyNetwork.Gate gate = new FaultyNetwork.Gate(5 * MIB);
    long kept;
    try (FaultyNetwork network = new FaultyNetwork(server.port(), gate)) {
      String from = "fdt://127.0.0.1:" + network.port() + "/data/";
      RunningCommand interrupted =
          lab.start(lab.root(), "copy", "-r", "--accept-new", "-P", "1", from, "copy");
      await().atMost(RunningCommand.DEADLINE).until(() -> Arrived.in(copy).kept() >= 2 * MIB);
      interrupted.stop();
      interrupted.end();
      kept = Arrived.in(copy).kept();
      assertThat(kept).isLessThan(SIZE);
      gate.open();

      plan("plan", "-r", from, "copy");
      worker("plan", 0, 1).end().expect(0);
    }

    assertCopied();
    JsonNode summary = summary("plan");
    assertThat(summary.get("bytes").asLong()).isLessThanOrEqualTo(SIZE - kept + 1000);
    assertThat(summary.get("bytes").asLong() + summary.get("bytes_kept").asLong())
        .isBetween((long) SIZE, SIZE + 1000L); // the small one may have been there
  }

  /** A worker that was suspended copies a range when the file has its name. */
  @Test
  void aRangeThatIsCopiedAfterItsFileLeavesNoPart() throws IOException {
    RunningCommand server = lab.serve("--export", "data=" + source);
    plan("plan", "-r", "--preserve", "mode", served(server, "/data/"), "copy");
    worker("plan", 0, 1).end().expect(0);
    Path ending = lab.root().resolve("plan/state/000/000002.1.ok");
    Files.move(ending, ending.resolveSibling("000002.1.released"));

    Outcome late = worker("plan", 0, 1).end().expect(0);

    assertThat(late.out()).contains("unit 000002");
    assertThat(copy.resolve("deep/large")).hasSameBinaryContentAs(large);
    assertThat(leftovers()).isEmpty();
    JsonNode summary = summary("plan");
    assertThat(summary.get("files_done").asInt()).isEqualTo(2);
    assertThat(summary.get("files_failed").asInt()).isZero();
    assertThat(lab.run(lab.root(), "plan", "status", "plan").expect(0).out())
        .startsWith("7 units: 7 done, 0 running, 0 open, 0 failed; ");
  }

  @Test
  void whatIsThereIsReplaced() throws IOException {
    RunningCommand server = lab.serve("--export", "data=" + source);
    Content.write(copy.resolve("deep/large"), SIZE, 9);

    plan("plan", "-r", served(server, "/data/"), "copy");
    worker("plan", 0, 1).end().expect(0);

    assertCopied();
  }

  /** Where the whole file has to be looked at, one worker does that. */
  @ParameterizedTest
  @ValueSource(strings = {"--sync=checksum", "--dry-run", "--changing=skip"})
  void someCopiesAreNotCut(String option) throws IOException {
    RunningCommand server = lab.serve("--export", "data=" + source);
    plan("plan", "-r", option, served(server, "/data/"), "copy");

    worker("plan", 0, 1).end().expect(0);

    assertThat(lab.root().resolve("plan/units/000/000001.jsonl")).exists();
    assertThat(lab.root().resolve("plan/units/000/000002.jsonl")).doesNotExist();
    if (!option.equals("--dry-run")) {
      assertCopied();
    }
  }
}
