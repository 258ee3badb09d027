package io.fdt.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

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
    to = lab.serve("--export", "inc=" + incoming + ":rw");
    Path home = lab.root().resolve("home");
    service =
        TransferService.start(
            ServiceOptions.parse(List.of("--port", "0"), Map.of(), home), "tester", lab.root());
    fdt("endpoint", "add", "a", "127.0.0.1:" + from.port(), "--accept-new").expect(0);
    fdt("endpoint", "add", "b", "127.0.0.1:" + to.port(), "--accept-new").expect(0);
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
    assertThat(incoming.resolve("run/large")).hasSameBinaryContentAs(data.resolve("run/large"));
    assertThat(fdt("task", "list").expect(0).out())
        .contains(id, "succeeded", "a:/data/run -> b:/inc", "first");
    assertThat(fdt("task", "status", id).expect(0).out())
        .contains("Status:    succeeded", "Files:     1 of 1, 0 failed");
    assertThat(fdt("task", "details", id).expect(0).out()).contains("Attempts:  1");
    assertThat(fdt("task", "events", id).expect(0).out())
        .contains("submitted", "started", "succeeded");
    assertThat(fdt("task", "show", id, "--json").expect(0).out())
        .startsWith("{\"task_id\":\"" + id + "\"");
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
    assertThat(incoming.resolve("run/large")).hasSameBinaryContentAs(data.resolve("run/large"));
    assertThat(incoming.resolve("run/skipped.tmp")).doesNotExist();
    assertThat(fdt("task", "details", id).expect(0).out()).contains("checksum=sha256");

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
        .contains("--verify does not go with delete");
  }

  @Test
  void administratorsSeeWhoDidWhat() {
    fdt("service", "role", "alice", "reader").expect(0);
    assertThat(fdt("service", "users").expect(0).out()).contains("alice", "reader");
    assertThat(fdt("service", "audit", "--most", "5").expect(0).out())
        .contains("tester", "200  PUT /api/v1/users/alice");
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
    fdt("task", "modify", id, "--label", "other", "--priority", "7").expect(0);
    assertThat(fdt("task", "details", id).expect(0).out())
        .contains("Label:     other", "Priority:  7");
    fdt("task", "cancel", id).expect(0);
    assertThat(fdt("task", "wait", id).expect(1).out()).startsWith("cancelled");
    assertThat(fdt("task", "pause", id).expect(1).problems())
        .singleElement()
        .asString()
        .contains("has ended");
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
  void recurringTasks() {
    fdt("timer", "create", "nightly", "--interval", "1d", "-r", "a:/data/run", "b:/inc").expect(0);
    await("its first run")
        .atMost(Duration.ofSeconds(60))
        .until(() -> fdt("timer", "list").expect(0).out().contains("runs 1"));
    String id = fdt("timer", "show", "nightly").out().replaceFirst("(?s).* last (\\S+).*", "$1");
    fdt("task", "wait", id).expect(0);
    assertThat(incoming.resolve("run/large")).exists();
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
    assertThat(fdt("service").expect(1).problems())
        .singleElement()
        .asString()
        .contains("fdt-service.jar beside fdt.jar");
  }
}
