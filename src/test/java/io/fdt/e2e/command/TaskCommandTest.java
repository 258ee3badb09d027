package io.fdt.e2e.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fdt.e2e.Content;
import io.fdt.e2e.Lab;
import io.fdt.e2e.Outcome;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Shell;
import io.fdt.service.ServiceOptions;
import io.fdt.service.TransferService;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The commands task and endpoint against a service of the same home. */
@Timeout(120)
class TaskCommandTest {
  @RegisterExtension final Lab lab = new Lab();

  private TransferService service;
  private RunningCommand from;
  private RunningCommand to;
  private Path data;
  private Path incoming;

  @BeforeEach
  void start() throws Exception {
    data = lab.directory("data");
    incoming = lab.directory("incoming");
    Content.write(data.resolve("run/large"), 3 << 20, 1);
    from = lab.serve("--export", "data=" + data);
    to = lab.serve("--export", "inc=" + incoming + ":rw", "--export", "bucket=memory://:rw");
    Path home = lab.root().resolve("home");
    service =
        TransferService.start(
            ServiceOptions.parse(List.of("--port", "0"), Map.of(), home), "tester", lab.root());
    fdt("endpoint", "add", "a", "127.0.0.1:" + from.port(), "--accept-new").expect(0);
    fdt("endpoint", "add", "b", "fdt://127.0.0.1:" + to.port(), "--accept-new").expect(0);
  }

  @AfterEach
  void end() {
    service.close();
  }

  private Outcome fdt(String... words) {
    return lab.run(lab.root(), words);
  }

  @Test
  void submitWaitAndLook() {
    String id =
        fdt("task", "submit", "-r", "a:/data/run", "b:/inc", "--label", "first")
            .expect(0)
            .out()
            .strip();

    assertThat(fdt("task", "wait", id).expect(0).out()).startsWith("succeeded");
    Content.assertSame(incoming.resolve("run/large"), data.resolve("run/large"));
    assertThat(fdt("task", "list").expect(0).out())
        .contains(id, "succeeded", "a:/data/run -> b:/inc", "first");
    assertThat(fdt("task", "status", id).expect(0).out())
        .contains("Status:    succeeded", "Files:     1 of 1, 0 failed, 0 deleted");
    assertThat(fdt("task", "show", id).expect(0).out()).contains("Attempts:  1");
    assertThat(fdt("task", "events", id).expect(0).out())
        .contains("submitted", "started", "succeeded");
    assertThat(fdt("task", "show", id, "--json").expect(0).out())
        .startsWith("{\"task_id\":\"" + id + "\"");
    fdt("task", "submit", "a:/data/none", "b:/inc").expect(0);
    assertThat(fdt("task", "list", "--most", "1").expect(0).err())
        .contains("only the first one is listed; for more: --most N");
    assertThat(fdt("task", "list").expect(0).err()).isEmpty();
    String query = "tasks[?state=='succeeded'].task_id";
    assertThat(fdt("task", "list", "--jmespath", query).expect(0).out().strip())
        .isEqualTo("[\"" + id + "\"]");
    assertThat(fdt("task", "list", "-F", "unix", "--jmespath", query).expect(0).out().strip())
        .isEqualTo(id);
    assertThat(fdt("endpoint", "list", "-F", "unix").expect(0).out())
        .contains("ENDPOINTS\t")
        .hasLineCount(3);
    assertThat(fdt("task", "list", "--jmespath", "tasks[").expect(2).problems())
        .singleElement()
        .asString()
        .contains("--jmespath", "no JMESPath");
    assertThat(fdt("task", "list", "--jmespath", "[".repeat(2000)).expect(2).problems())
        .singleElement()
        .asString()
        .contains("--jmespath: more than 200 brackets");
    assertThat(fdt("task", "list", "-F", "xml").expect(2).problems())
        .singleElement()
        .asString()
        .contains("text, json, unix");
  }

  @Test
  void anExportedBucketIsAnEndOfATask() {
    String id = fdt("task", "submit", "-r", "a:/data/run", "b:/bucket/t/").expect(0).out().strip();

    assertThat(fdt("task", "wait", id).expect(0).out()).startsWith("succeeded  1 file");
    assertThat(fdt("du", "memory://t/run").expect(0).out()).contains("3145728      1");
    assertThat(fdt("task", "submit", "-r", "a:/data/run", "local:s3://bucket/t/").expect(2).err())
        .contains("fdt serve --export NAME=s3://bucket/t/");
  }

  @Test
  void bookmarks() {
    assertThat(fdt("endpoint", "bookmark", "in", "b:/inc").expect(0).out()).contains("b:/inc");
    assertThat(fdt("endpoint", "bookmarks").expect(0).out()).contains("in ", "b:/inc");
    assertThat(
            fdt("endpoint", "bookmarks", "--jmespath", "bookmarks[0].path").expect(0).out().strip())
        .isEqualTo("\"/inc\"");
    fdt("endpoint", "unbookmark", "in").expect(0);
    fdt("endpoint", "unbookmark", "in").expect(1);
  }

  @Test
  void aMirrorSaysWhatItDeleted() throws Exception {
    Content.write(incoming.resolve("old/one"), 3, 2);
    Content.write(incoming.resolve("two"), 3, 3);

    String id = mirror();
    assertThat(fdt("task", "wait", id).expect(0).out())
        .contains("1 file transferred and verified, 0 unchanged, 3.00 MiB, 3 deleted");
    assertThat(fdt("task", "status", id).expect(0).out())
        .contains("Files:     1 of 1, 0 failed, 3 deleted");
    assertThat(fdt("task", "events", id).expect(0).out())
        .containsPattern("deleted +/inc/old/one\n")
        .containsPattern("deleted +/inc/old\n")
        .containsPattern("deleted +/inc/two\n");
    assertThat(fdt("task", "show", id, "--json").expect(0).out()).contains("\"files_deleted\":3");

    Files.delete(data.resolve("run/large"));
    String refused = mirror();
    assertThat(fdt("task", "wait", refused).expect(1).out())
        .contains("failed  nothing deleted: ", "the source is empty");
    assertThat(incoming.resolve("large")).exists();
  }

  private String mirror() {
    return fdt("task", "submit", "-r", "--delete", "a:/data/run/", "b:/inc/")
        .expect(0)
        .out()
        .strip();
  }

  /** All options of a copy, and the messages of a copy for mistakes. */
  @Test
  void aTaskTakesTheOptionsOfACopy() throws Exception {
    Content.write(data.resolve("run/skipped.tmp"), 10, 2);
    String id =
        fdt(
                "task",
                "submit",
                "-r",
                "a:/data/run",
                "b:/inc",
                "--exclude",
                "*.tmp",
                "--preserve",
                "none",
                "--block-size",
                "64K",
                "--checksum",
                "sha256",
                "--compress",
                "lz4",
                "--limit",
                "00:00-12:00=1G,else=off")
            .expect(0)
            .out()
            .strip();
    assertThat(fdt("task", "wait", id).expect(0).out()).startsWith("succeeded");
    Content.assertSame(incoming.resolve("run/large"), data.resolve("run/large"));
    assertThat(incoming.resolve("run/skipped.tmp")).doesNotExist();
    assertThat(fdt("task", "show", id).expect(0).out()).contains("checksum=sha256");

    assertThat(
            fdt("task", "submit", "a:/data/run", "b:/inc", "--checksum", "none", "--verify")
                .expect(2)
                .problems())
        .singleElement()
        .asString()
        .contains("--verify compares checksums");
    assertThat(fdt("task", "delete", "b:/inc/run", "--verify").expect(2).problems())
        .singleElement()
        .asString()
        .contains("--verify cannot be combined with delete");
  }

  @Test
  void administratorsSeeWhoDidWhat() {
    assertThat(fdt("service", "users").expect(0).out().strip())
        .matches("USER +ROLE +NOTE\\ntester +admin +has started the service");
    fdt("service", "role", "alice", "reader").expect(0);
    assertThat(fdt("service", "users").expect(0).out()).contains("alice", "reader");
    assertThat(fdt("service", "audit", "--most", "5").expect(0).out())
        .containsPattern("tester .* 200  set the role of alice\n")
        .containsPattern("tester .* 201  added endpoint b\n");
    assertThat(fdt("service", "role", "alice").expect(2).problems()).hasSize(1);
    fdt("service", "role", "alice", "king").expect(2);
  }

  @Test
  void whatChangesATask() {
    String id =
        fdt("task", "submit", "-r", "a:/data/run", "b:/inc", "--limit", "1Mbit/s")
            .expect(0)
            .out()
            .strip();

    assertThat(fdt("task", "wait", id, "--timeout", "1", "--timeout-exit-code", "55").status())
        .isEqualTo(55);
    assertThat(fdt("task", "show", id).expect(0).out())
        .contains("Options:   recursive; sync=mtime")
        .doesNotContain("false", "Label:", "Ended:");
    fdt("task", "modify", id, "--label", "other", "--priority", "7", "--limit", "2Mbit/s")
        .expect(0);
    assertThat(fdt("task", "show", id).expect(0).out())
        .contains("Label:     other", "Priority:  7", "Limit:     2.00 Mbit/s");
    fdt("task", "modify", id, "-limit", "1Mbit/s").expect(0);
    problem(2, "--limit: ", "schedule", "task", "modify", id, "--limit", "00:00-12:00=1G,else=off");
    problem(2, "--timeout cannot be combined", "modify", "task", "modify", id, "--timeout", "1");
    assertThat(fdt("task", "cancel", id).expect(0).out())
        .containsPattern(id + "  (active, cancel asked for|cancelled)  ");
    assertThat(fdt("task", "wait", id).expect(1).out()).startsWith("cancelled");
    problem(1, "has ended (cancelled)", id, "task", "pause", id);
  }

  @Test
  void aFailedTaskSaysWhatToDoAndHowToRunItAgain() {
    String id = fdt("task", "submit", "a:/data/no ne", "b:/inc").expect(0).out().strip();
    fdt("task", "wait", id).expect(1);

    assertThat(fdt("task", "show", id.substring(0, 8)).expect(0).out())
        .contains(id, "What to do: Check the path: it ");
    problem(
        1,
        id + " has ended (failed) and cannot be resumed; to run it again: fdt task submit",
        "submit 'a:/data/no ne' b:/inc,",
        "task",
        "resume",
        id);
  }

  @Test
  void messagesSayWhatThereIs() {
    problem(2, "'details' is none of", "show, status", "task", "details", "x");
    problem(2, "no state 'done'", "queued, active, ", "task", "list", "--state", "done");
    problem(1, "no task 'x'", "fdt task list", "task", "wait", "x");
    problem(1, "no timer 'x'", "fdt timer list", "timer", "show", "x");
    problem(2, "'begin' is none of cancel", "submit", "task", "begin");
    problem(2, "no request that can be read", "check its path", "task", "show", "../endpoints");
    problem(2, "'b:/inc/y'", "the path only, /inc/y", "endpoint", "rename", "b:/inc/x", "b:/inc/y");
  }

  /** What a command complains about. */
  private void problem(int status, String one, String other, String... words) {
    assertThat(fdt(words).expect(status).problems())
        .singleElement()
        .asString()
        .contains(one, other);
  }

  @Test
  void oneSubmissionIdGivesOneTask() {
    String[] words = {"task", "submit", "-r", "a:/data/run", "b:/inc", "--submission-id", "x1"};
    String id = fdt(words).expect(0).out();
    assertThat(fdt(words).expect(0).out()).isEqualTo(id);
    fdt("task", "wait", id.strip()).expect(0);
  }

  @Test
  void endpointsAndTheirFiles() throws Exception {
    assertThat(fdt("endpoint", "list").expect(0).out()).contains("local", "a  ", "b  ");
    assertThat(fdt("endpoint", "ls", "a:/data").expect(0).out()).isEqualTo("run/\n");
    fdt("endpoint", "mkdir", "b:/inc/new").expect(0);
    fdt("endpoint", "rename", "b:/inc/new", "/inc/newer").expect(0);
    assertThat(incoming.resolve("newer")).isDirectory();
    assertThat(fdt("endpoint", "check", "a").expect(0).out()).contains("/data, read-only");
    assertThat(fdt("endpoint", "show", "a").expect(0).out())
        .contains("State:     reachable, read-only\n");
    fdt("endpoint", "remove", "a").expect(0);
    assertThat(fdt("endpoint", "show", "a").expect(1).problems())
        .singleElement()
        .asString()
        .contains("there is no endpoint 'a'");
    assertThat(fdt("endpoint", "ls", "local:" + data).expect(0).out()).isEqualTo("run/\n");
    Files.writeString(data.resolve("x\u001b[31my"), "");
    assertThat(fdt("endpoint", "ls", "local:" + data).expect(0).out()).contains("x\\u001b[31my");
  }

  @Test
  void oneFileIsLookedAtAndRemoved() throws Exception {
    Content.write(incoming.resolve("dir/file"), 1234, 1);
    assertThat(fdt("endpoint", "stat", "b:/inc/dir/file").expect(0).out())
        .contains("Name:      /inc/dir/file", "Kind:      file", "(1234 bytes)", "Modified:  20");
    assertThat(fdt("endpoint", "stat", "b:/inc/other").expect(1).problems())
        .singleElement()
        .asString()
        .contains("/inc/other");
    assertThat(fdt("endpoint", "ls", "-l", "b:/inc/dir").expect(0).out())
        .matches(
            "KIND +MODE +SIZE +MODIFIED +NAME\\nfile +[0-7]+ +1\\.21 KiB +20\\S+ \\S+ +file\\n");
    fdt("endpoint", "rm", "b:/inc/dir").expect(1); // a directory wants -r
    assertThat(incoming.resolve("dir/file")).exists();
    assertThat(fdt("endpoint", "rm", "-r", "b:/inc/dir").expect(0).out()).startsWith("succeeded");
    assertThat(incoming.resolve("dir")).doesNotExist();
    fdt("endpoint", "rm").expect(2);
  }

  @Test
  void anEndpointIsModified() {
    fdt("endpoint", "modify", "b", "--default-path", "/inc/x", "--max-tasks", "2").expect(0);
    assertThat(fdt("endpoint", "show", "b").expect(0).out())
        .contains(
            "Path:      /inc/x\n", "Tasks:     at most 2 at once\n", "State:     reachable\n");
    assertThat(
            fdt("endpoint", "modify", "b", "--fingerprint", "SHA256:" + "A".repeat(43))
                .expect(4)
                .problems())
        .hasSize(1);
    assertThat(fdt("endpoint", "modify", "b").expect(2).problems())
        .singleElement()
        .asString()
        .contains("nothing to modify", "--token-file");
    fdt("endpoint", "modify", "b", "--accept-new").expect(2);
  }

  /** The file that names servers for other commands names endpoints, too. */
  @Test
  void endpointsOfAFile() throws Exception {
    String server = "[server %s]\naddress = 127.0.0.1\nport = %d\nstreams = 2\n";
    Files.writeString(
        lab.root().resolve("servers.conf"),
        server.formatted("a", from.port()) + server.formatted("c", to.port()));
    assertThat(fdt("endpoint", "import", "servers.conf").expect(4).problems())
        .singleElement()
        .asString()
        .contains("c: ", "SHA256:", "--accept-new");
    assertThat(fdt("endpoint", "import", "servers.conf", "--accept-new").expect(0).out())
        .contains("a is there already", "c  ", "reachable");
    assertThat(fdt("endpoint", "import", "servers.conf").expect(0).out())
        .contains("a is there already", "c is there already");
    assertThat(fdt("endpoint", "show", "c").expect(0).out()).contains("Token:     of your server");
    String key = fdt("endpoint", "show", "c", "--jmespath", "fingerprint").expect(0).out();
    String login = "127.0.0.1:%d %s fdt_x".formatted(to.port(), key.strip().replace("\"", ""));
    Shell.run(lab.root(), "echo " + login + " > home/logins; chmod 600 home/logins");
    assertThat(fdt("endpoint", "show", "c").expect(0).out()).contains("Token:     of 'fdt login'");
    assertThat(fdt("endpoint", "import", "nowhere.conf").expect(2).problems())
        .singleElement()
        .asString()
        .contains("nowhere.conf: no such file");
    Files.writeString(lab.root().resolve("empty.conf"), "# none\n");
    assertThat(fdt("endpoint", "import", "empty.conf").expect(2).problems())
        .singleElement()
        .asString()
        .contains("there is no [server NAME] in empty.conf");
  }

  /** A file from elsewhere may name any file as that of a token. */
  @Test
  void anImportedFileDoesNotSendWhatIsNoToken() throws Exception {
    String server = "[server %s]\naddress = 127.0.0.1\nport = %d\ntoken-file = %s\n";
    Shell.run(lab.root(), "echo two words | tee secret.txt > open.txt; chmod 600 secret.txt");
    Files.writeString(
        lab.root().resolve("servers.conf"),
        server.formatted("c", to.port(), "secret.txt")
            + server.formatted("d", to.port(), "")
            + server.formatted("e", to.port(), "open.txt"));
    lab.environment("FDT_TOKEN", "fdt_" + "x".repeat(43));
    assertThat(fdt("endpoint", "import", "servers.conf", "--accept-new").expect(2).problems())
        .singleElement()
        .asString()
        .contains("c: ", "secret.txt", "not a token", "d: ", "token-file is empty")
        .containsPattern("e: --token-file: others may read .* chmod 600 ");
    assertThat(fdt("endpoint", "list").expect(0).out()).doesNotContainPattern("(?m)^[cde] ");
  }

  @Test
  void noticesByWebhookAndEmail() {
    String url = "http://127.0.0.1:9/hook";
    assertThat(fdt("notice", "add", url, "--of", "end,fault").expect(0).out())
        .startsWith("secret: fdtw_");
    assertThat(fdt("notice", "list").expect(0).out()).contains(url, "end, fault");
    assertThat(fdt("notice", "list", "--jmespath", "webhooks[].url").expect(0).out().strip())
        .isEqualTo("[\"" + url + "\"]");
    fdt("notice", "remove", url).expect(0);
    assertThat(fdt("notice", "remove", url).expect(1).problems())
        .singleElement()
        .asString()
        .contains("fdt notice list");
    assertThat(fdt("notice", "list").expect(0).out()).isEmpty();
    assertThat(fdt("notice", "add", url, "--of", "birth").expect(2).problems())
        .singleElement()
        .asString()
        .contains("end, fault, deadline");
    assertThat(fdt("notice", "add", "me@example.org").expect(2).problems())
        .singleElement()
        .asString()
        .contains("--mail-server");
    fdt("notice", "confirm", "me@example.org").expect(2);
  }

  @Test
  void aTimerIsPausedAndResumed() {
    fdt(
            "timer",
            "create",
            "later",
            "--interval",
            "1d",
            "--start",
            "2098-01-01T00:00:00Z",
            "-r",
            "a:/data/run",
            "b:/inc")
        .expect(0);
    assertThat(fdt("timer", "pause", "later").expect(0).out()).contains("later", "paused");
    assertThat(fdt("timer", "resume", "later").expect(0).out()).contains("2098-01-01 00:00:00");
    fdt("timer", "pause", "other").expect(1);
  }

  @Test
  void anIntervalHasAUnitAndIsAtLeastAMinute() {
    for (String interval : List.of("5", "300", "59s")) {
      assertThat(
              fdt("timer", "create", "bad", "--interval", interval, "a:/x", "b:/")
                  .expect(2)
                  .problems())
          .singleElement()
          .asString()
          .contains("--interval: '" + interval + "'", "at least one minute", "unit");
    }
  }

  @Test
  void recurringTasks() {
    fdt("timer", "create", "nightly", "--interval", "1d", "-r", "--delete", "a:/data/run", "b:/inc")
        .expect(0);
    await("its first run")
        .atMost(Duration.ofSeconds(60))
        .until(() -> fdt("timer", "list").expect(0).out().matches("(?s).*nightly +1d .* 1  .*"));
    String id = fdt("timer", "show", "nightly", "--jmespath", "last_task").out().strip();
    id = id.substring(1, id.length() - 1);
    fdt("task", "wait", id).expect(0);
    assertThat(incoming.resolve("run/large")).exists();
    assertThat(fdt("timer", "show", "nightly").expect(0).out())
        .contains("Timer:     nightly\n", "Every:     1d\n", "Next:      2", "Runs:      1\n")
        .contains("Last task: " + id, "What:      a:/data/run -> b:/inc\n")
        .contains("Options:   recursive; sync=mtime; delete");
    assertThat(fdt("timer", "show", "nightly", "--json").expect(0).out())
        .contains("\"delete\":true")
        .doesNotContain("\"spec\"");
    assertThat(fdt("task", "show", id).expect(0).out())
        .contains("Label:     nightly")
        .containsPattern("Submitted: .* as timer:nightly:2[^ ]*Z:");
    Outcome removed = fdt("endpoint", "remove", "b").expect(0);
    assertThat(removed.out().strip()).isEqualTo("removed b");
    assertThat(removed.err()).contains("timer 'nightly' uses it", "fdt timer remove nightly");
    fdt("timer", "remove", "nightly").expect(0);
    assertThat(fdt("timer", "list").expect(0).out()).isEmpty();
    assertThat(fdt("timer", "create", "x", "a:/data", "b:/inc").expect(2).problems())
        .singleElement()
        .asString()
        .contains("--interval is missing");
  }

  @Test
  void anUnknownServerIsNotTrusted() {
    Outcome refused = fdt("endpoint", "add", "c", "127.0.0.1:" + from.port() + "").expect(4);
    assertThat(refused.problems()).singleElement().asString().contains("SHA256:", "--accept-new");
  }

  @Test
  void withoutAServiceItSaysSo() {
    Path home = lab.root().resolve("elsewhere");
    assertThat(lab.runAt(home, lab.root(), "task", "list").expect(3).problems())
        .singleElement()
        .asString()
        .contains("start one with 'fdt service'");
    // With one beside fdt.jar, which "make build" leaves there, this process would become it.
    lab.environment("FDT_SERVICE_JAR", lab.root().resolve("none.jar").toString());
    assertThat(fdt("service").expect(1).problems())
        .singleElement()
        .asString()
        .contains("fdt-service.jar beside fdt.jar");
  }
}
