package io.fdt.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fdt.client.TransferRequest;
import io.fdt.core.model.Checksum;
import io.fdt.core.spec.TransferSpecCoding;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tasks between two servers, over the REST interface. */
@Timeout(120)
class TasksTest {
  private static final Duration DEADLINE = Duration.ofSeconds(60);

  @TempDir private Path root;
  private Site site;
  private Rest rest;

  @BeforeEach
  void start() throws Exception {
    site = new Site(root);
    site.write("run/large", 8 * Site.MIB, 1);
    site.write("run/sub/small", 1000, 2);
    rest = site.rest(site.service().url());
    site.addEndpoints(rest);
  }

  @AfterEach
  void end() throws Exception {
    site.close();
  }

  private Object submit(Map<String, Object> task) throws Exception {
    return rest.post("/api/v1/tasks", task).expect(201).json().get("task_id");
  }

  private Rest.Answer ask(Object task, String change) throws Exception {
    return rest.post("/api/v1/tasks/" + task + "/" + change, null);
  }

  private void awaitState(Object task, String state) {
    await(state).atMost(DEADLINE).until(() -> rest.task(task).get("state").equals(state));
  }

  private void awaitBytes(Object task) {
    await("data that flows")
        .atMost(DEADLINE)
        .until(() -> (Long) rest.task(task).get("bytes_done") > 0);
  }

  private void assertArrived() throws Exception {
    for (String name : List.of("run/large", "run/sub/small")) {
      assertThat(Files.mismatch(site.incoming.resolve(name), site.data.resolve(name)))
          .isEqualTo(-1);
    }
  }

  @Test
  void aTransferBetweenTwoServers() throws Exception {
    Map<String, Object> ended = rest.end(submit(Site.transfer()));

    assertThat(ended)
        .containsEntry("state", "succeeded")
        .containsEntry("files_done", 2L)
        .containsEntry("bytes_done", 8L * Site.MIB + 1000)
        .containsEntry("attempts", 1L);
    assertThat(rest.events(ended.get("task_id")))
        .containsExactly("submitted", "started", "succeeded");
    assertArrived();
  }

  @Test
  void thisMachineIsOneEnd() throws Exception {
    Map<String, Object> task = Site.transfer();
    task.put("destination_endpoint", "local");
    task.put("destination_path", root.resolve("here") + "/");
    Files.createDirectory(root.resolve("here"));

    assertThat(rest.end(submit(task))).containsEntry("state", "succeeded");
    assertThat(Files.mismatch(root.resolve("here/run/large"), site.data.resolve("run/large")))
        .isEqualTo(-1);
  }

  @Test
  void aSubmissionIdGivesOneTask() throws Exception {
    Map<String, Object> task = Site.transfer();
    task.put("submission_id", "once");
    Object first = submit(task);

    assertThat(rest.post("/api/v1/tasks", task).expect(200).json()).containsEntry("task_id", first);
    task.put("destination_path", "/inc/other");
    assertThat(rest.post("/api/v1/tasks", task).expect(409).text()).contains("another request");
    rest.end(first);
  }

  @Test
  void pauseAndResumeSendNothingTwiceAndCountAllThatWasSent() throws Exception {
    Object task = submit(Site.slow(2L * Site.MIB));
    awaitBytes(task);

    ask(task, "pause").expect(200);
    awaitState(task, "paused");
    assertThat(site.incoming.resolve("run/large")).doesNotExist();
    site.sql("UPDATE task SET bytes_done = 1000000000");
    ask(task, "resume").expect(200);

    Map<String, Object> ended = rest.end(task);
    assertThat(ended).containsEntry("state", "succeeded").containsEntry("faults", 0L);
    assertThat((String) ended.get("message"))
        .startsWith("2 files transferred and verified, 0 unchanged");
    assertThat((Long) ended.get("bytes_done"))
        .isGreaterThan(1_000_000_000)
        .isEqualTo(ended.get("bytes_total"));
    assertThat(rest.events(task))
        .containsExactly("submitted", "started", "paused", "resumed", "started", "succeeded");
    assertArrived();
  }

  @Test
  void cancelEndsItAtTheServers() throws Exception {
    Object task = submit(Site.slow(1 << 18));
    awaitBytes(task);

    ask(task, "cancel").expect(200);

    assertThat(rest.end(task)).containsEntry("state", "cancelled");
    assertThat(rest.events(task)).containsExactly("submitted", "started", "cancelled");
    ask(task, "resume").expect(409);
    ask(task, "cancel").expect(200);
    assertThat(rest.events(task)).containsExactly("submitted", "started", "cancelled");
  }

  @Test
  void aLimitChangesWhileItRuns() throws Exception {
    Map<String, Object> slow = Site.transfer();
    slow.put("limit", 1L << 18); // 32 s
    Object task = submit(slow);
    awaitBytes(task);
    String etag = rest.get("/api/v1/tasks/" + task).etag();

    String path = "/api/v1/tasks/" + task;
    rest.send("PATCH", path, Map.of("limit", 0L)).expect(428);
    rest.send("PATCH", path, Map.of("limit", 0L), "If-Match", "\"1\"").expect(412);
    rest.send("PATCH", path, Map.of("limit", 0L, "label", "faster"), "If-Match", etag).expect(200);

    assertThat(rest.end(task)).containsEntry("state", "succeeded").containsEntry("label", "faster");
    assertThat(rest.events(task))
        .containsExactly("submitted", "started", "modified", "started", "succeeded");
    assertArrived();
  }

  @Test
  void anEndpointThatIsAwayIsAFaultUntilItIsBack() throws Exception {
    Object task = submit(Site.slow());
    awaitBytes(task);
    int port = site.stopDestination();
    await("the fault")
        .atMost(DEADLINE)
        .until(
            () -> rest.task(task), // both at one moment: the next attempt follows soon
            one ->
                one.get("state").equals("retrying")
                    && ((String) one.get("message")).contains("b (127.0.0.1:" + port + ")"));
    await("the state of the endpoint")
        .atMost(DEADLINE)
        .until(() -> rest.get("/api/v1/endpoints/b").json().get("state").equals("unreachable"));

    site.startDestination(port);

    Map<String, Object> ended = rest.end(task);
    assertThat(ended).containsEntry("state", "succeeded");
    assertThat((Long) ended.get("faults")).isPositive();
    assertThat(rest.events(task)).contains("fault").endsWith("succeeded");
    assertThat(rest.get("/api/v1/tasks/" + task + "/events").text())
        .contains("b (127.0.0.1:" + port + "): the server is stopping");
    assertArrived();
  }

  /** The command sends all options of a copy, encoded as servers take them. */
  @Test
  void allOptionsOfACopyGoWithATask() throws Exception {
    TransferRequest request =
        TransferRequest.between()
            .source("/")
            .destination("/")
            .recursive(true)
            .checksum(Checksum.SHA256)
            .build();
    String spec = Base64.getEncoder().encodeToString(TransferSpecCoding.toBytes(request.spec()));
    Map<String, Object> task = Site.transfer();
    task.put("options", Map.of("spec", spec));

    Map<String, Object> ended = rest.end(submit(task));

    assertThat(ended).containsEntry("state", "succeeded");
    assertThat((Map<?, ?>) ended.get("options"))
        .isEqualTo(
            Map.of(
                "recursive",
                true,
                "sync",
                "mtime",
                "delete",
                false,
                "verify",
                false,
                "fsync",
                false,
                "checksum",
                "sha256",
                "encrypt",
                false));
    assertArrived();
    for (Map<String, Object> bad :
        List.<Map<String, Object>>of(
            Map.of("spec", "AAAA"),
            Map.of("spec", "no base64"),
            Map.of("spec", spec, "recursive", true))) {
      task.put("options", bad);
      rest.post("/api/v1/tasks", task).expect(400);
    }
  }

  @Test
  void theDeadlineEndsIt() throws Exception {
    site.stopDestination();
    Map<String, Object> task = Site.transfer();
    task.put("deadline", Instant.now().plusSeconds(2).toString());

    Map<String, Object> ended = rest.end(submit(task));
    assertThat(ended).containsEntry("state", "failed");
    assertThat((String) ended.get("message")).contains("deadline");
  }

  @Test
  void aFileThatIsMissingIsSaidAndNotTriedAgain() throws Exception {
    Map<String, Object> task = Site.transfer();
    task.put("source_paths", List.of("/data/run", "/data/missing"));

    Map<String, Object> ended = rest.end(submit(task));

    assertThat(ended)
        .containsEntry("state", "failed")
        .containsEntry("attempts", 1L)
        .containsEntry("files_total", 3L);
    assertThat((String) ended.get("message")).contains("missing");
    assertThat(rest.events(ended.get("task_id")))
        .containsExactly("submitted", "started", "problem", "failed");
    assertArrived();
  }

  @Test
  void aDeletion() throws Exception {
    rest.end(submit(Site.transfer()));
    Map<String, Object> delete =
        Map.of(
            "kind",
            "delete",
            "source_endpoint",
            "b",
            "source_paths",
            List.of("/inc/run"),
            "options",
            Map.of("recursive", true));

    assertThat(rest.end(submit(delete))).containsEntry("state", "succeeded");
    assertThat(site.incoming.resolve("run")).doesNotExist();
    Map<String, Object> again = rest.end(submit(delete));
    assertThat(again).containsEntry("state", "failed");
    rest.post(
            "/api/v1/tasks",
            Map.of("kind", "delete", "source_endpoint", "b", "source_paths", List.of("//")))
        .expect(400);
  }

  @Test
  void aPathWithoutASlashBeginsAtTheDefaultPath() throws Exception {
    Map<String, Object> transfer = Site.transfer();
    transfer.put("source_paths", List.of("run"));

    assertThat(rest.end(submit(transfer))).containsEntry("state", "succeeded");
    assertArrived();
  }

  @Test
  void pagesHaveEachTaskOnce() throws Exception {
    for (int i = 0; i < 7; i++) {
      submit(Site.transfer());
    }
    Set<Object> seen = new HashSet<>();
    String path = "/api/v1/tasks?limit=3";
    int pages = 0;
    for (Object cursor = ""; cursor != null; pages++) {
      Map<String, Object> page =
          rest.get(cursor.equals("") ? path : path + "&cursor=" + cursor).expect(200).json();
      for (Object task : (List<?>) page.get("tasks")) {
        assertThat(seen.add(((Map<?, ?>) task).get("task_id"))).isTrue();
      }
      cursor = page.get("next_cursor");
    }
    assertThat(pages).isEqualTo(3);
    assertThat(seen).hasSize(7);
    for (Object task : seen) {
      rest.end(task);
    }
  }
}
