package io.fdt.e2e.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fdt.e2e.Arrived;
import io.fdt.e2e.Content;
import io.fdt.e2e.JsonLines;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.Programs;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Shell;
import io.fdt.e2e.Tree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Plans and their workers, as commands. */
@Execution(ExecutionMode.CONCURRENT)
class PlanTest {
  @RegisterExtension final Lab lab = new Lab();

  private Path source;
  private Path plan;

  /** Names of all kinds, modes, old times, links, an empty directory. */
  @BeforeEach
  void makeSource() {
    source = lab.directory("source");
    plan = lab.root().resolve("plan");
    Shell.run(
        source,
        """
        mkdir -p tree/a/b tree/c 'tree/empty dir'
        for i in 1 2 3 4 5 6 7; do printf "$i" > tree/a/f$i; done
        printf x > tree/a/b/$'new\\nline'; printf y > tree/a/b/$'byte\\xff'
        printf z > 'tree/c/back\\slash'; printf 12345 > tree/c/"quote\\"ü"; : > tree/c/nothing
        ln -s ../a/f1 tree/c/link; ln -s nowhere tree/dangling
        head -c 300000 /dev/zero > tree/large
        chmod 640 tree/a/f2; chmod 750 tree/a/b; chmod 555 tree/c
        find tree -exec touch -h -d '2020-02-03 04:05:06.789' {} +
        """);
  }

  private String served(RunningCommand server, String path) {
    return "fdt://127.0.0.1:" + server.port() + path;
  }

  private Outcome plan(String... words) {
    List<String> all =
        new ArrayList<>(
            List.of("plan", "--dir", plan.toString(), "--accept-new", "--unit-files", "3"));
    all.addAll(List.of(words));
    return lab.run(lab.root(), all.toArray(String[]::new));
  }

  private RunningCommand worker(int index, int count) {
    return lab.start(
        lab.root(), "worker", "--plan", "plan", "--index", "" + index, "--of", "" + count);
  }

  private JsonNode report() throws IOException {
    Outcome printed = lab.run(lab.root(), "plan", "report", "plan").expect(0);
    Path file = lab.root().resolve("report.json");
    Files.writeString(file, printed.out());
    return JsonLines.report(file);
  }

  private String status() {
    return lab.run(lab.root(), "plan", "status", "plan").expect(0).out().strip();
  }

  @Test
  void threeWorkersFetchATree() throws IOException {
    RunningCommand server = lab.serve("--export", "data=" + source);

    Outcome planned = plan("-r", served(server, "/data/tree"), "copy").expect(0);
    assertThat(planned.out()).startsWith("planned: 15 files, ").contains(" in 5 units");
    List<RunningCommand> workers = List.of(worker(0, 3), worker(1, 3), worker(2, 3));
    for (RunningCommand worker : workers) {
      worker.end().expect(0);
    }

    Tree.assertSame(lab.root().resolve("copy/tree"), source.resolve("tree"));
    assertThat(status())
        .startsWith("5 units: 5 done, 0 running, 0 open, 0 failed; ")
        .endsWith("last step done; 0 workers");
    JsonNode report = report();
    assertThat(JsonLines.outcomes(report.get("files")))
        .hasSize(13)
        .contains("done copy/tree/a/f1".replace("copy", lab.root() + "/copy"));
    assertThat(report.get("summary").get("exit_status").asInt()).isZero();
    assertThat(report.get("summary").get("files_done").asInt()).isEqualTo(13);
    assertThat(report.get("summary").get("bytes").asLong()).isEqualTo(300015);
    assertThat(report.get("summary").get("links").asInt()).isEqualTo(2);
    assertThat(report.get("summary").get("directories").asInt()).isEqualTo(5);
  }

  @Test
  void aFinishedPlanMovesNothingAgain() throws IOException {
    RunningCommand server = lab.serve("--export", "data=" + source);
    plan("-r", served(server, "/data/tree"), "copy").expect(0);
    worker(0, 1).end().expect(0);

    Outcome again = worker(0, 1).end().expect(0);

    assertThat(again.out()).isEmpty();
    assertThat(report().get("summary").get("bytes").asLong()).isEqualTo(300015);
  }

  @Test
  void aTreeIsSentAndWhatTheSourceLacksIsDeletedAtTheEnd() {
    RunningCommand server = lab.serve("--export", "in=" + lab.directory("in") + ":rw");
    Shell.run(lab.root(), "mkdir -p in/tree/gone/deep in/tree/a; : > in/tree/gone/deep/x");
    Shell.run(lab.root(), ": > in/tree/a/old; : > in/tree/keep.tmp");

    plan("-r", "--delete", "--exclude", "*.tmp", "source/tree", served(server, "/in")).expect(0);
    worker(0, 2).end().expect(0);

    Shell.run(lab.root(), "rm in/tree/keep.tmp; touch -d '2020-02-03 04:05:06.789' in/tree");
    Tree.assertSame(lab.root().resolve("in/tree"), source.resolve("tree"));
  }

  @Test
  void anEmptySourceEmptiesTheDestinationOnlyWhenAsked() {
    RunningCommand server = lab.serve("--export", "in=" + lab.directory("in") + ":rw");
    Shell.run(lab.root(), "mkdir -p empty in/empty; printf x > in/empty/precious");

    plan("-r", "--delete", "empty", served(server, "/in")).expect(0);
    Outcome refused = worker(0, 1).end().expect(1);

    assertThat(refused.err()).contains("the source is empty");
    assertThat(lab.root().resolve("in/empty/precious")).exists();
    Shell.run(lab.root(), "rm -r plan");
    plan("-r", "--delete", "--delete-from-empty", "empty", served(server, "/in")).expect(0);
    worker(0, 1).end().expect(0);
    assertThat(lab.root().resolve("in/empty")).isEmptyDirectory();
  }

  @Test
  void serversSendToEachOther() {
    RunningCommand from = lab.serve("--export", "data=" + source, "--dial-to", "127.0.0.0/8");
    RunningCommand to =
        lab.serve("--export", "in=" + lab.directory("in") + ":rw", "--dial-to", "127.0.0.0/8");

    plan("-r", served(from, "/data/tree/"), served(to, "/in")).expect(0);
    worker(0, 1).end().expect(0);

    Tree.assertSame(lab.root().resolve("in"), source.resolve("tree"));
  }

  @Test
  void patternsAndSizesChooseAsInACopy() {
    RunningCommand server = lab.serve("--export", "data=" + source);
    String[] choice = {"-r", "--exclude", "/a/b", "--max-size", "1000", "--exclude", "f[3-5]"};
    String from = served(server, "/data/tree");
    List<String> copy = new ArrayList<>(List.of("copy", "--accept-new"));
    copy.addAll(List.of(choice));
    copy.addAll(List.of(from, "one"));
    lab.run(lab.root(), copy.toArray(String[]::new)).expect(0);

    List<String> planned = new ArrayList<>(List.of(choice));
    planned.addAll(List.of(from, "many"));
    plan(planned.toArray(String[]::new)).expect(0);
    worker(0, 1).end().expect(0);

    Tree.assertSame(lab.root().resolve("many/tree"), lab.root().resolve("one/tree"));
  }

  @Test
  void oneFileGetsTheNameOfTheDestination() {
    RunningCommand server = lab.serve("--export", "data=" + source);

    plan(served(server, "/data/tree/large"), "renamed").expect(0);
    worker(0, 1).end().expect(0);

    assertThat(lab.root().resolve("renamed")).hasSize(300000);
    assertThat(status()).contains("last step none");
  }

  @Test
  void aUnitThatFailsIsTriedAgainAndThenToldOfAndNothingIsDeleted() throws IOException {
    RunningCommand server = lab.serve("--export", "data=" + source);
    Path copy = lab.directory("copy/tree/a");
    Path inTheWay = Files.createDirectories(copy.resolve("f1"));
    Path old = Files.createFile(copy.resolve("old"));
    plan("-r", "--delete", served(server, "/data/tree"), "copy").expect(0);
    Files.createFile(inTheWay.resolve("stays"));

    Outcome failed = lab.run(lab.root(), "worker", "--plan", "plan", "--attempts", "1").expect(1);

    assertThat(failed.problems())
        .anyMatch(line -> line.contains("f1' is a directory"))
        .anyMatch(line -> line.contains("1 unit failed after all attempts"));
    assertThat(old).exists();
    assertThat(status()).contains("4 done, 0 running, 0 open, 1 failed").contains("step done");
    assertThat(report().get("summary").get("files_failed").asInt()).isEqualTo(1);
    assertThat(report().get("summary").get("exit_status").asInt()).isEqualTo(1);

    Shell.run(lab.root(), "rm -r copy/tree/a/f1");
    lab.run(lab.root(), "worker", "--plan", "plan", "--attempts", "2").expect(0);

    assertThat(old).doesNotExist();
    Tree.assertSame(lab.root().resolve("copy/tree"), source.resolve("tree"));
    assertThat(report().get("summary").get("files_failed").asInt()).isZero();
  }

  @Test
  void aUnitWhoseFileIsDamagedFailsAloneAndIsToldOf() throws IOException {
    RunningCommand server = lab.serve("--export", "data=" + source);
    plan("-r", served(server, "/data/tree"), "copy").expect(0);
    Path damaged = plan.resolve("units/000/000001.jsonl");
    Files.writeString(damaged, Files.readString(damaged).replaceFirst("a", "b"));

    Outcome failed = lab.run(lab.root(), "worker", "--plan", "plan", "--attempts", "1").expect(1);

    assertThat(failed.problems())
        .anyMatch(line -> line.contains("unit 000001: ") && line.contains("is damaged"));
    assertThat(status()).contains("4 done, 0 running, 0 open, 1 failed");
    assertThat(report().get("files"))
        .anyMatch(event -> event.get("event").asString().equals("error"));
  }

  @Test
  void aWorkerWithoutATokenGivesItsUnitBack() throws IOException {
    RunningCommand server = lab.serveAt(lab.root().resolve("other"), "--export", "data=" + source);
    Path token = lab.root().resolve("copied");
    Files.copy(lab.root().resolve("other/token"), token, StandardCopyOption.COPY_ATTRIBUTES);
    plan("-r", "--token-file", token.toString(), served(server, "/data/tree"), "copy").expect(0);
    String secret = Files.readString(token).strip();
    Path moved = lab.root().resolve("moved");
    Files.move(token, moved);

    Outcome without = lab.run(lab.root(), "worker", "--plan", "plan");
    assertThat(without.status()).isNotZero();
    assertThat(without.err()).contains("token");
    Outcome wrong = lab.run(lab.root(), "worker", "--plan", "plan", "--token-file", wrongToken());
    wrong.expect(4);
    assertThat(status()).contains("0 done, 0 running, 5 open, 0 failed");

    lab.environment("FDT_PLAN", plan.toString());
    lab.run(lab.root(), "worker", "--token-file", moved.toString()).expect(0);
    Tree.assertSame(lab.root().resolve("copy/tree"), source.resolve("tree"));
    Shell.run(lab.root(), "! grep -r " + secret + " plan");
  }

  private String wrongToken() throws IOException {
    Path file = lab.root().resolve("wrong");
    Files.writeString(file, "x".repeat(43));
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    return file.toString();
  }

  @Test
  void whatAPlanCannotDoIsToldBefore() {
    for (String[] line :
        List.of(
            new String[] {"-r", "-H", "h:/x", "y"},
            new String[] {"-r", "--links", "follow", "h:/x", "y"},
            new String[] {"h:/x", "-"},
            new String[] {"--offset", "1", "h:/x", "y"},
            new String[] {"-r", "u@h:/x", "y"},
            new String[] {"--takeover", "1", "h:/x", "y"},
            new String[] {"-r", "--hand-over", "--via", "r", "x", "h:/y"},
            new String[] {"-r", "--detach", "h:/x", "k:/y"},
            new String[] {"-r", "--explain", "h:/x", "y"},
            new String[] {"-r", "--monitor", "h:/x", "y"},
            new String[] {"--post-filter", "cat", "h:/x", "y"},
            new String[] {"--report", "r", "h:/x", "y"})) {
      assertThat(plan(line).expect(2).problems()).as(String.join(" ", line)).hasSize(1);
    }
    assertThat(plan).doesNotExist();
    assertThat(lab.run(lab.root(), "plan", "h:/x", "y").expect(2).err())
        .contains("--dir is missing");
    assertThat(lab.run(lab.root(), "worker", "--plan", "none").expect(1).err())
        .contains("holds no plan");
    assertThat(lab.run(lab.root(), "worker").expect(2).err()).contains("--plan is missing");
  }

  @Test
  void whatTheEngineSaysIsTheIndex() throws IOException {
    RunningCommand server = lab.serve("--export", "data=" + source);
    plan("-r", served(server, "/data/tree"), "copy").expect(0);
    lab.environment("SLURM_ARRAY_TASK_ID", "12");
    lab.environment("SLURM_ARRAY_TASK_MIN", "10");
    lab.environment("SLURM_ARRAY_TASK_COUNT", "4");

    Outcome outcome = lab.run(lab.root(), "worker", "--plan", "plan").expect(0);

    assertThat(outcome.out()).startsWith("unit 000002: ");
  }

  /** As when a worker seems dead and is not. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void twoWorkersOnOneUnitNeitherDamageNorRepeatIt(boolean isPush) throws IOException {
    int size = 12 << 20;
    Content.write(lab.directory("big").resolve("large"), size, 1);
    lab.directory("in");
    RunningCommand server =
        lab.serve("--export", lab.root() + "/big", "--export", lab.root() + "/in:rw");
    String from = isPush ? "big/" : served(server, "/big/");
    plan("-r", "--limit", "8M", from, isPush ? served(server, "/in") : "in").expect(0);
    RunningCommand first = worker(0, 1);
    await()
        .atMost(RunningCommand.DEADLINE)
        .until(() -> Arrived.in(lab.root().resolve("in")).kept() > 0);
    Files.createFile(plan.resolve("state/000/000000.1.released"));

    Outcome second = worker(1, 2).end().expect(0);

    first.end().expect(0);
    Tree.assertSame(lab.root().resolve("in"), lab.root().resolve("big"));
    JsonNode summary = report().get("summary");
    assertThat(summary.get("exit_status").asInt()).isZero();
    assertThat(summary.get("files_done").asInt()).as(second.err()).isEqualTo(1);
    assertThat(summary.get("bytes").asLong()).isBetween((long) size, size + (4L << 20));
  }

  /** Another client has the one session that an address may have of two. */
  @Test
  void fourWorkersOfAServerWithTwoSessionsWaitAndEndWell() throws IOException {
    Content.write(source.resolve("slow"), 24 << 20, 1);
    RunningCommand server = lab.serve("--export", "data=" + source, "--max-sessions", "2");
    plan("-r", served(server, "/data/tree"), "copy").expect(0);
    RunningCommand other =
        lab.startProcess(lab.root(), "copy", "--limit", "1M", served(server, "/data/slow"), "slow");
    await()
        .atMost(RunningCommand.DEADLINE)
        .until(() -> Shell.run(lab.root(), "ls -d .fdt-* 2>&- || :").length > 0);
    List<RunningCommand> workers = new ArrayList<>();
    for (int index = 0; index < 4; index++) {
      workers.add(
          lab.startProcess(
              lab.root(), "worker", "--plan", "plan", "--index", "" + index, "--of", "4"));
    }
    for (RunningCommand worker : workers) {
      await()
          .atMost(RunningCommand.DEADLINE)
          .until(() -> worker.err().contains(" waits: the server allows at most 1 transfers"));
    }
    other.signal("INT");
    other.end();
    lab.leavesUnfinishedFiles();

    workers.forEach(worker -> worker.end().expect(0));

    Tree.assertSame(lab.root().resolve("copy/tree"), source.resolve("tree"));
    assertThat(status()).contains("5 done, 0 running, 0 open, 0 failed");
  }

  /** Workers elsewhere have met no server: the plan has the keys that its planner verified. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void thePlanHasTheKeyOfItsServer(boolean isPush) throws IOException {
    lab.directory("in");
    RunningCommand server =
        lab.serveProcess("--export", "data=" + source, "--export", lab.root() + "/in:rw");
    lab.environment("FDT_TOKEN", Files.readString(lab.home().resolve("token")).strip());
    String from = isPush ? source.resolve("tree").toString() : served(server, "/data/tree");
    plan("-r", from, isPush ? served(server, "/in") : "in").expect(0);
    Path home = lab.directory("empty");
    Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("rwx------"));

    lab.runAt(home, lab.root(), "worker", "--plan", "plan").expect(0);

    Tree.assertSame(lab.root().resolve("in/tree"), source.resolve("tree"));
    assertThat(home.resolve("known_hosts")).as("nothing was accepted").doesNotExist();
  }

  /** As FDT_FINGERPRINT of a pod has it. */
  @Test
  void aWorkerRequiresTheKeyThatItIsGiven() throws IOException {
    RunningCommand server = lab.serve("--export", "data=" + source);
    plan("-r", served(server, "/data/tree"), "copy").expect(0);
    lab.environment("FDT_FINGERPRINT", "SHA256:" + "A".repeat(43));

    Outcome other = lab.run(lab.root(), "worker", "--plan", "plan").expect(4);

    assertThat(other.err()).contains("is not the requested server");
    assertThat(status()).contains("0 done");
  }

  @Test
  void aServerThatThePlannerDidNotReachMayBeAcceptedByTheWorker() throws IOException {
    RunningCommand server = lab.serveProcess("--export", "data=" + source);
    lab.environment("FDT_TOKEN", Files.readString(lab.home().resolve("token")).strip());
    plan("-r", served(server, "/data/tree"), "copy").expect(0);
    Path header = plan.resolve("plan.json");
    String withKey = Files.readString(header);
    String without = withKey.replaceAll("\"(fingerprint|accept_new)\":\"[^\"]*\",", "");
    assertThat(without).isNotEqualTo(withKey);
    Files.writeString(header, without);
    Path home = lab.directory("empty");
    Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("rwx------"));

    assertThat(lab.runAt(home, lab.root(), "worker", "--plan", "plan").expect(4).err())
        .contains("Unknown server");
    lab.runAt(home, lab.root(), "worker", "--plan", "plan", "--accept-new").expect(0);

    Tree.assertSame(lab.root().resolve("copy/tree"), source.resolve("tree"));
  }

  /** It may be one that only the workers can reach. */
  @Test
  void aDestinationThatIsAwayIsPlannedWithoutItsKey() throws IOException {
    Outcome planned = plan("-r", source.resolve("tree").toString(), "fdt://127.0.0.1:1/in");

    assertThat(planned.expect(0).err())
        .contains("the plan has no key of 127.0.0.1:1; give --fingerprint to workers");
  }

  @Test
  void aPlanOnAFullDiskSaysSo() {
    Programs.require("strace");
    RunningCommand server = lab.serveProcess("--export", "data=" + source);
    String[] words = {
      "plan", "--dir", "plan", "--unit-files", "3", "-r", served(server, "/data/tree"), "copy"
    };

    Outcome full = lab.runInjected(lab.root(), "fsync:error=ENOSPC", words).expect(6);

    assertThat(full.err()).contains("no space is left; free some space and run the same command");
    lab.run(lab.root(), words).expect(0);
    assertThat(
            lab.runInjected(lab.root(), "fsync:error=ENOSPC", "worker", "--plan", "plan")
                .expect(6)
                .err())
        .contains("no space is left");
    lab.run(lab.root(), "worker", "--plan", "plan").expect(0);
    Tree.assertSame(lab.root().resolve("copy/tree"), source.resolve("tree"));
  }

  @Test
  void theHelpNamesOnlyPlacesThatAPlanTakes() {
    assertThat(lab.run(lab.root(), "plan", "--help").expect(0).out())
        .contains("host[:port]:/path")
        .doesNotContain("SSH", "--tunnel");
  }

  @Test
  void aMissingSourceIsTold() {
    RunningCommand server = lab.serve("--export", "data=" + source);

    Outcome outcome = plan("-r", served(server, "/data/no-such"), "copy").expect(1);

    assertThat(outcome.problems()).singleElement().asString().contains("no-such");
  }
}
