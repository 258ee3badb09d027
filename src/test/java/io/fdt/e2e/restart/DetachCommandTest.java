package io.fdt.e2e.restart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fdt.e2e.Content;
import io.fdt.e2e.JsonLines;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Shell;
import io.fdt.e2e.Tree;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import tools.jackson.databind.JsonNode;

/** Copies between two servers that go on without their command, from the command line. */
@Execution(ExecutionMode.CONCURRENT)
class DetachCommandTest {
  @RegisterExtension final Lab lab = new Lab();

  private Path sources;
  private Path destinations;
  private Path homeOfSource;
  private Path homeOfDestination;
  private Path homeOfClient;
  private Path homeElsewhere;
  private RunningCommand from;
  private RunningCommand to;

  @BeforeEach
  void start() {
    sources = lab.directory("sources");
    destinations = lab.directory("destinations");
    homeOfSource = lab.root().resolve("a");
    homeOfDestination = lab.root().resolve("b");
    homeOfClient = lab.root().resolve("c");
    homeElsewhere = lab.root().resolve("d");
    Shell.run(sources, "mkdir -p run/sub; printf 1 > run/f; printf 22 > run/sub/g");
    Content.write(sources.resolve("run/large"), 8 << 20, 1);
    from = serve(homeOfSource, sources.toString());
    to = serve(homeOfDestination, destinations + ":rw");
  }

  private RunningCommand serve(Path home, String export, String... options) {
    List<String> all = new ArrayList<>(List.of("--export", export));
    all.addAll(List.of(options));
    return lab.serveAt(home, all.toArray(String[]::new));
  }

  private List<String> copyWords(String... options) {
    List<String> words = new ArrayList<>(List.of("copy", "-r", "--accept-new"));
    words.addAll(List.of("--source-token-file", homeOfSource.resolve("token").toString()));
    words.addAll(List.of("--token-file", homeOfDestination.resolve("token").toString()));
    words.addAll(List.of(options));
    words.add("fdt://127.0.0.1:" + from.port() + "/sources/run");
    words.add("fdt://127.0.0.1:" + to.port() + "/destinations");
    return words;
  }

  private Outcome copy(String... options) {
    return client(copyWords(options).toArray(String[]::new));
  }

  private Outcome client(String... words) {
    return lab.runAt(homeOfClient, lab.root(), words);
  }

  /** From another machine of the same user. */
  private Outcome elsewhere(String... words) {
    List<String> all = new ArrayList<>(List.of(words));
    all.add(1, "--accept-new");
    all.addAll(1, List.of("--token-file", homeOfSource.resolve("token").toString()));
    return lab.runAt(homeElsewhere, lab.root(), all.toArray(String[]::new));
  }

  private String left(String... options) {
    List<String> all = new ArrayList<>(List.of("--detach"));
    all.addAll(List.of(options));
    String out = copy(all.toArray(String[]::new)).expect(0).out();
    assertThat(out).matches("[0-9a-f]{32}\n");
    return out.strip();
  }

  private void assertArrived() {
    Tree.assertSame(destinations.resolve("run"), sources.resolve("run"));
  }

  @Test
  void detachPrintsAnIdAndAttachShowsTheRest() {
    String id = left("-limit", "32Mbit/s");

    Outcome outcome = client("attach", id.substring(0, 8)).expect(0);

    assertArrived();
    assertThat(outcome.summary()).startsWith("done: 3 files, 8.00 MiB in ").contains("verified");
    assertThat(client("attach", id).expect(0).summary()).as("again").startsWith("done: 3 files");
  }

  @Test
  void fromElsewhereTheServerIsNamed() {
    String id = left();
    String name = "fdt://127.0.0.1:" + from.port() + "/" + id;

    assertThat(elsewhere("attach", id.substring(0, 8)).expect(2).err())
        .contains("was detached from here")
        .contains("fdt://HOST[:PORT]/" + id.substring(0, 8));
    assertThat(elsewhere("attach", name).expect(0).summary()).startsWith("done: 3 files");
    assertThat(elsewhere("attach", name.substring(0, name.length() - 24)).expect(0).summary())
        .startsWith("done: 3 files");
    assertArrived();
  }

  @Test
  void theStatusOfAttachIsThatOfTheTransfer() {
    List<String> words = copyWords("--detach");
    words.set(words.size() - 1, "fdt://127.0.0.1:" + to.port() + "/destinations/x");
    words.add(words.size() - 1, "fdt://127.0.0.1:" + from.port() + "/sources/missing");
    String id = client(words.toArray(String[]::new)).expect(0).out().strip();

    Outcome outcome = client("attach", id).expect(1);

    assertThat(outcome.err()).contains("missing");
    assertThat(outcome.summary()).contains("3 files");
  }

  @Test
  void jsonAndReportSayWhatThoseOfACopySay() throws Exception {
    Outcome left = copy("--detach", "--json", "-limit", "32Mbit/s").expect(0);
    List<JsonNode> detached = JsonLines.of(JsonLines.events(left), "detached");
    assertThat(detached).hasSize(1);
    String id = detached.get(0).get("id").asString();
    assertThat(detached.get(0).get("server").asString()).endsWith(":" + from.port());

    Outcome outcome = client("attach", "--json", "--report", "report.json", id).expect(0);

    List<JsonNode> events = JsonLines.events(outcome);
    assertThat(JsonLines.of(events, "start").get(0).get("id").asString()).isEqualTo(id);
    assertThat(JsonLines.of(events, "start").get(0).get("source_server").asString())
        .endsWith(":" + from.port());
    assertThat(JsonLines.of(events, "summary").get(0).get("files_done").asLong()).isEqualTo(3);
    assertThat(Files.readString(lab.root().resolve("report.json")))
        .contains("\"summary\"", "\"files_done\":3");
  }

  @Test
  void sessionsListsWhatRunsAndWhatHasEnded() {
    String first = left();
    client("attach", "--quiet", first).expect(0);
    Shell.run(sources, "printf 333 > run/h");
    String second =
        left(
            "-limit",
            "8Mbit/s",
            "--sync",
            "checksum",
            "-bs",
            "64K",
            "--backup-dir",
            "/destinations/old");
    client("cancel", second).expect(0);

    Outcome table = client("sessions").expect(0);
    assertThat(table.out().lines().toList())
        .satisfiesExactly(
            head -> assertThat(head).startsWith("ID ").contains("STATE", "BYTES", "OWNER"),
            line -> assertThat(line).startsWith(second.substring(0, 8)),
            line ->
                assertThat(line)
                    .startsWith(first.substring(0, 8))
                    .contains(" done ", " own ", ":/sources/run -> ", ":/destinations"));
    Outcome json = client("sessions", "--json").expect(0);
    assertThat(JsonLines.of(JsonLines.events(json), "session")).hasSize(2);
    Outcome there = elsewhere("sessions", "127.0.0.1:" + from.port()).expect(0);
    assertThat(there.out()).contains(first.substring(0, 8));
    assertThat(elsewhere("sessions").expect(0).err()).contains("no copy was detached from here");
    String address = "127.0.0.1:" + from.port();
    Outcome refused = lab.runAt(homeElsewhere, lab.root(), "sessions", address).expect(4);
    assertThat(refused.err()).doesNotContain("no transfers between servers");
    assertThat(refused.problems().get(0)).containsOnlyOnce(address).contains("requires a token");
  }

  @Test
  void cancelEndsItAndTheSameCommandGoesOn() {
    String id = left("-limit", "8Mbit/s");
    Lab.awaitUnfinished(destinations, 1);
    await("small files")
        .atMost(Duration.ofSeconds(30))
        .until(
            () ->
                Files.exists(destinations.resolve("run/f"))
                    && Files.exists(destinations.resolve("run/sub/g")));

    assertThat(client("cancel", id.substring(0, 8)).expect(0).out())
        .isEqualTo("cancelled " + id.substring(0, 8) + "\n");

    Outcome ended = client("attach", id).expect(130);
    assertThat(ended.err())
        .contains("cancelled by the client")
        .contains("the same command continues it: fdt copy -r --accept-new");
    assertThat(client("cancel", id).expect(0).out()).contains("had ended already");
    assertThat(copy().expect(0).summary()).contains("were there already", "2 unchanged");
    assertArrived();
  }

  @Test
  void anInterruptedAttachLeavesTheTransfer() {
    String id = left("-limit", "16Mbit/s");
    RunningCommand attached = lab.startAt(homeOfClient, lab.root(), "attach", id.substring(0, 8));
    Lab.awaitUnfinished(destinations, 1);

    attached.stop();

    assertThat(attached.err())
        .contains("the transfer goes on: fdt attach " + id.substring(0, 8))
        .doesNotContain("run the same command again");
    client("attach", id).expect(0);
    assertArrived();
  }

  @Test
  void anInterruptedCopyStillEndsAtBothServers() {
    RunningCommand copy =
        lab.startAt(
            homeOfClient, lab.root(), copyWords("-limit", "8Mbit/s").toArray(String[]::new));
    Lab.awaitUnfinished(destinations, 1);

    copy.stop();

    await("its end")
        .atMost(RunningCommand.DEADLINE)
        .until(() -> elsewhere("sessions", "127.0.0.1:" + from.port()).out().contains("cancelled"));
    copy().expect(0);
    assertArrived();
  }

  @Test
  void othersAreToldWhatTheyAreToldOfNothing() throws Exception {
    String id = left("-limit", "16Mbit/s");
    Outcome made = lab.runAt(homeOfSource, lab.root(), "token", "create", "eve").expect(0);
    Files.writeString(lab.root().resolve("eve"), made.out());
    Shell.run(lab.root(), "chmod 600 eve");
    String server = "fdt://127.0.0.1:" + from.port() + "/";
    String[] eve = {"--token-file", "eve", "--accept-new"};
    await("the token is known")
        .atMost(RunningCommand.DEADLINE)
        .until(() -> eve(eve, "sessions", "127.0.0.1:" + from.port()).status() == 0);

    Outcome real = eve(eve, "attach", server + id).expect(1);
    Outcome none = eve(eve, "attach", server + "0".repeat(32)).expect(1);
    assertThat(real.err().replace(id, "ID")).isEqualTo(none.err().replace("0".repeat(32), "ID"));
    eve(eve, "cancel", server + id).expect(1);
    assertThat(eve(eve, "sessions", "127.0.0.1:" + from.port()).expect(0).out()).isEmpty();
    client("attach", id).expect(0);
    assertArrived();
  }

  private Outcome eve(String[] access, String verb, String operand) {
    List<String> words = new ArrayList<>(List.of(verb));
    words.addAll(List.of(access));
    words.add(operand);
    return lab.runAt(homeElsewhere, lab.root(), words.toArray(String[]::new));
  }

  @Test
  void copiesWithALocalEndStay() {
    Outcome pull = client("copy", "--detach", "127.0.0.1:/sources/run", "here").expect(2);
    Outcome push = client("copy", "--detach", "here", "127.0.0.1:/destinations").expect(2);
    Outcome dry = copy("--detach", "--dry-run").expect(2);
    Outcome report = copy("--detach", "--report", "x").expect(2);

    assertThat(pull.err()).contains("--detach is for copies between two servers");
    assertThat(push.err()).contains("--detach is for copies between two servers");
    assertThat(dry.err()).contains("--dry-run");
    assertThat(report.err()).contains("--report");
  }

  @Test
  void aServerThatRefusesIsAFailureAtOnce() {
    RunningCommand other = serve(lab.root().resolve("e"), destinations + ":rw", "--no-third-party");
    List<String> words = copyWords("--detach");
    words.set(words.size() - 1, "fdt://127.0.0.1:" + other.port() + "/destinations");
    words.set(
        words.indexOf("--token-file") + 1, lab.root().resolve("e").resolve("token").toString());

    Outcome outcome = client(words.toArray(String[]::new)).expect(4);

    assertThat(outcome.out()).isEmpty();
    assertThat(outcome.err()).contains("--no-third-party");
  }
}
