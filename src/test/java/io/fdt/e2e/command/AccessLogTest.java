package io.fdt.e2e.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fdt.client.AccessToken;
import io.fdt.client.FdtClient;
import io.fdt.client.RemoteFiles;
import io.fdt.client.ServerTrust;
import io.fdt.core.model.BytePath;
import io.fdt.e2e.Content;
import io.fdt.e2e.JsonLines;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Shell;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** The access log of a server: which file went where, for whom. */
class AccessLogTest {
  private static final Duration DEADLINE = Duration.ofSeconds(30);

  @RegisterExtension final Lab lab = new Lab();

  private Path log;
  private RunningCommand server;

  @BeforeEach
  void serve() {
    Content.write(lab.directory("data").resolve("run42/a"), 1000, 1);
    Content.write(lab.root().resolve("data/run42/b"), 2000, 2);
    lab.directory("in");
    log = lab.root().resolve("access.log");
    server = lab.serve("--export", "data", "--export", "in:rw", "--access-log", "access.log");
  }

  private Outcome copy(String... words) {
    List<String> all = new ArrayList<>(List.of("copy", "-r"));
    all.addAll(List.of(words));
    return lab.run(lab.root(), all.toArray(String[]::new));
  }

  private String at(String path) {
    return at(server, path);
  }

  private static String at(RunningCommand server, String path) {
    return "fdt://127.0.0.1:" + server.port() + path;
  }

  /** All lines of a file, in the order of fate and path. */
  private static List<String> entries(Path file, int count) throws IOException {
    await("the log is written")
        .atMost(DEADLINE)
        .until(() -> Files.exists(file) && Files.readAllLines(file).size() >= count);
    return Files.readAllLines(file).stream()
        .map(line -> JsonLines.valid(JsonLines.COMMANDS, line))
        .map(AccessLogTest::summary)
        .sorted()
        .toList();
  }

  private static String summary(JsonNode entry) {
    return String.join(
        " ",
        entry.get("fate").asString(),
        entry.get("direction").asString(),
        entry.get("token").asString(),
        entry.get("export").asString(),
        entry.get("path").asString(),
        entry.get("bytes").asString());
  }

  @Test
  void eachFileThatIsFetchedHasALine() throws Exception {
    copy(at("/data/run42"), "copy").expect(0);
    assertThat(entries(log, 2))
        .containsExactly(
            "done pull own data /data/run42/a 1000", "done pull own data /data/run42/b 2000");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(log)))
        .isEqualTo("rw-r-----");

    JsonNode first = JsonLines.valid(JsonLines.COMMANDS, Files.readAllLines(log).get(0));
    assertThat(first.get("peer").asString()).matches("127\\.0\\.0\\.1:[0-9]+");
    assertThat(server.err()).contains("session=" + first.get("session").asString());

    copy(at("/data/run42"), "copy").expect(0);
    assertThat(entries(log, 4)).contains("unchanged pull own data /data/run42/a 1000");
  }

  @Test
  void eachFileThatIsBroughtRemovedOrRefusedHasALine() throws Exception {
    Files.createDirectories(lab.root().resolve("in/run42"));
    Files.writeString(lab.root().resolve("in/run42/old"), "old");
    Shell.run(lab.root(), "mkdir in/run42/b");
    Files.writeString(lab.root().resolve("in/run42/b/kept"), "kept");

    copy("--delete", "data/run42", at("/in/")).expect(0);

    assertThat(entries(log, 4))
        .contains(
            "deleted push own in /in/run42/old 0",
            "done push own in /in/run42/a 1000",
            "done push own in /in/run42/b 2000");
  }

  @Test
  void aDigestIsThatOfTheFile() throws Exception {
    Outcome copied = copy("--json", at("/data/run42/a"), "copy").expect(0);
    JsonNode file = JsonLines.of(JsonLines.events(copied), "file").get(0);
    entries(log, 1);
    JsonNode entry = JsonLines.valid(JsonLines.COMMANDS, Files.readAllLines(log).get(0));
    assertThat(entry.get("digest")).isEqualTo(file.get("digest"));
    assertThat(entry.get("checksum")).isEqualTo(file.get("checksum"));
  }

  @Test
  void bothServersOfACopyBetweenThemLogEachFile() throws Exception {
    RunningCommand other =
        lab.serve("--export", "data", "--export", "in:rw", "--access-log", "other.log");
    copy(at("/data/run42"), at(other, "/in/")).expect(0);

    assertThat(entries(log, 2))
        .containsExactly(
            "done pull own data /data/run42/a 1000", "done pull own data /data/run42/b 2000");
    assertThat(entries(lab.root().resolve("other.log"), 2))
        .containsExactly("done push own in /in/run42/a 1000", "done push own in /in/run42/b 2000");
  }

  @Test
  void whatIsRemovedOrRenamedHasALine() throws Exception {
    copy("data/run42", at("/in/")).expect(0);
    entries(log, 2);
    lab.run(lab.root(), "rename", at("/in/run42/a"), at("/in/run42/c")).expect(0);
    assertThat(lab.run(lab.root(), "rm", "-r", at("/data/run42")).status()).isNotZero();
    lab.run(lab.root(), "rm", "-r", at("/in/run42")).expect(0);

    assertThat(entries(log, 5))
        .containsExactly(
            "done push own in /in/run42/a 1000",
            "done push own in /in/run42/b 2000",
            "failed push own data /data/run42 0",
            "removed push own in /in/run42 0",
            "renamed push own in /in/run42/a 0");
    assertThat(Files.readString(log)).contains("\"new_path\":{\"path\":\"/in/run42/c\"}");
  }

  @Test
  void aFileThatIsStillThereIsNotLoggedAsRemovedOrRenamed() throws Exception {
    lab.run(lab.root(), "rm", at("/data/run42/a")).expect(4);
    lab.run(lab.root(), "rm", "-r", at("/in/none")).expect(1);
    lab.run(lab.root(), "rename", at("/data/run42/b"), at("/data/run42/c")).expect(4);

    assertThat(entries(log, 3))
        .containsExactly(
            "failed push own data /data/run42/a 0",
            "failed push own data /data/run42/b 0",
            "failed push own in /in/none 0");
    assertThat(Files.readAllLines(log).get(0))
        .contains("\"code\":\"FORBIDDEN\"", "the export is read-only");
    assertThat(Files.readAllLines(log).get(1)).contains("\"code\":\"NOT_FOUND\"");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aFileThatIsCutShortHasALineWithItsBytes(boolean push) throws Exception {
    Path token = lab.root().resolve("alice.token");
    Files.createFile(
        token, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.writeString(token, lab.run(lab.root(), "token", "create", "alice").expect(0).out());
    Content.write(lab.root().resolve("data/run42/large"), 64 << 20, 3);
    RunningCommand limited =
        lab.serve(
            "--export",
            "data",
            "--export",
            "in:rw",
            "--limit",
            "5M",
            "--access-log",
            "limited.log");
    Path into = lab.root().resolve(push ? "in" : "part");
    Files.createDirectories(into);
    String from = push ? "data/run42/large" : at(limited, "/data/run42/large");
    RunningCommand copy =
        lab.start(
            lab.root(),
            "copy",
            "--token-file",
            token.toString(),
            from,
            push ? at(limited, "/in/") : "part/");
    Lab.awaitUnfinished(into, 2);
    lab.leavesUnfinishedFiles();
    lab.run(lab.root(), "token", "revoke", "alice").expect(0);
    copy.end().expect(4);

    entries(lab.root().resolve("limited.log"), 1);
    JsonNode entry =
        JsonLines.valid(
            JsonLines.COMMANDS, Files.readAllLines(lab.root().resolve("limited.log")).get(0));
    assertThat(summary(entry))
        .startsWith(
            push ? "failed push alice in /in/large " : "failed pull alice data /data/run42/large ");
    assertThat(entry.get("bytes").asLong()).isBetween(1L, (64L << 20) - 1);
    assertThat(entry.get("code").asString()).isEqualTo("UNAUTHENTICATED");
  }

  @Test
  void aRangeThatAProgramReadsHasALine() throws Exception {
    try (FdtClient client =
            FdtClient.builder("127.0.0.1")
                .port(server.port())
                .trust(ServerTrust.pinned(identity(server)))
                .token(AccessToken.of(Files.readString(lab.home().resolve("token")).strip()))
                .build();
        RemoteFiles files = client.files()) {
      ByteBuffer range = ByteBuffer.allocate(300);
      assertThat(files.read(BytePath.of("/data/run42/a"), 0, 100, range)).isEqualTo(300);
    }
    assertThat(entries(log, 1)).containsExactly("read pull own data /data/run42/a 300");
  }

  private static String identity(RunningCommand server) {
    Matcher identity = Pattern.compile("identity=(\\S+)").matcher(server.err());
    assertThat(identity.find()).isTrue();
    return identity.group(1);
  }

  @Test
  void theFrontEndOfDataNodesLogsEachFile() throws Exception {
    Path token = lab.root().resolve("node.token");
    Files.createFile(
        token, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.writeString(
        token, lab.run(lab.root(), "token", "create", "node", "--data-node").expect(0).out());
    RunningCommand front = lab.serve("--export", "in:rw", "--access-log", "front.log");
    RunningCommand node =
        lab.serveAt(
            lab.root().resolve("nodehome"),
            "--export",
            "in:rw",
            "--join",
            "fdt://127.0.0.1:" + front.port() + "?fingerprint=" + identity(front),
            "--join-token-file",
            token.toString(),
            "--access-log",
            "node.log");
    await("it has joined").atMost(DEADLINE).until(() -> front.err().contains("data node joined"));
    copy("data/run42", at(front, "/in/")).expect(0);

    assertThat(entries(lab.root().resolve("front.log"), 2))
        .containsExactly("done push own in /in/run42/a 1000", "done push own in /in/run42/b 2000");
    node.stop();
    assertThat(lab.root().resolve("node.log")).isEmptyFile();
  }

  @Test
  void aRelaySeesNoPath() throws Exception {
    RunningCommand relay = lab.serve("--relay", "--access-log", "relay.log");
    copy("--via", "127.0.0.1:" + relay.port(), at("/data/run42"), "copy").expect(0);
    entries(log, 2);
    relay.stop();
    assertThat(lab.root().resolve("relay.log")).isEmptyFile();
  }

  @Test
  void aDryRunHasNoLine() throws Exception {
    copy("--dry-run", at("/data/run42"), "copy").expect(0);
    copy(at("/data/run42/a"), "copy").expect(0);
    assertThat(entries(log, 1)).containsExactly("done pull own data /data/run42/a 1000");
  }

  /** As logrotate does, with "create" and without. */
  @Test
  void aFileThatWasMovedIsOpenedAgain() throws Exception {
    copy(at("/data/run42/a"), "copy").expect(0);
    entries(log, 1);
    Files.move(log, lab.root().resolve("access.log.1"));
    copy(at("/data/run42/b"), "copy").expect(0);
    assertThat(entries(log, 1)).containsExactly("done pull own data /data/run42/b 2000");
    Files.move(log, lab.root().resolve("access.log.2"));
    Files.createFile(log);
    copy("--no-such-option").expect(2);
    copy(at("/data/run42"), "copy2").expect(0);
    assertThat(entries(log, 2)).hasSize(2);
    assertThat(entries(lab.root().resolve("access.log.1"), 1)).hasSize(1);
    assertThat(entries(lab.root().resolve("access.log.2"), 1)).hasSize(1);
  }

  /** As logrotate does with "copytruncate". */
  @Test
  void aFileThatWasCutGrowsFromItsStart() throws Exception {
    copy(at("/data/run42"), "copy").expect(0);
    entries(log, 2);
    Shell.run(lab.root(), ": > access.log");
    copy(at("/data/run42/a"), "copy2").expect(0);
    assertThat(entries(log, 1)).containsExactly("done pull own data /data/run42/a 1000");
  }

  @Test
  void transfersGoOnWhereTheLogCannotBeWritten() throws Exception {
    Shell.run(lab.root(), "mkdir gone");
    RunningCommand failing = lab.serve("--export", "data", "--access-log", "gone/access.log");
    Shell.run(lab.root(), "rm -r gone");
    copy(at(failing, "/data/run42"), "copy").expect(0);
    copy(at(failing, "/data/run42"), "copy2").expect(0);
    await("the end of the second")
        .atMost(DEADLINE)
        .until(() -> failing.err().split("session ended", -1).length == 3);
    Shell.run(lab.root(), "mkdir gone");
    copy(at(failing, "/data/run42/a"), "copy3").expect(0);

    assertThat(entries(lab.root().resolve("gone/access.log"), 1)).hasSize(1);
    await("the number of lost lines")
        .atMost(DEADLINE)
        .until(
            () ->
                failing.err().contains("access log is written again file=gone/access.log lost=4"));
    assertThat(failing.err().split("access log is not written", -1)).hasSize(2);
  }

  @Test
  void aLogThatCannotBeOpenedEndsTheStart() {
    Outcome outcome =
        lab.run(lab.root(), "serve", "--port", "0", "data", "--access-log", "none/access.log");
    outcome.expect(2);
    assertThat(outcome.err())
        .contains("--access-log 'none/access.log': the directory does not exist");
  }

  @Test
  void aDashIsStandardOutput() {
    RunningCommand shown = lab.serve("--export", "data", "--access-log", "-");
    copy(at(shown, "/data/run42/a"), "copy").expect(0);
    await("a line")
        .atMost(DEADLINE)
        .until(
            () -> shown.out().lines().anyMatch(line -> line.startsWith("{\"event\":\"access\"")));
  }
}
