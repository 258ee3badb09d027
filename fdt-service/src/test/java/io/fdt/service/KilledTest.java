package io.fdt.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fdt.client.AccessToken;
import io.fdt.client.FdtClient;
import io.fdt.client.RemoteSession;
import io.fdt.client.ServerTrust;
import io.fdt.server.FdtServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A service that is killed with SIGKILL while tasks run, and started again. */
@Timeout(120)
class KilledTest {
  private static final long SEED = Long.getLong("fdt.seed", 7);
  private static final int KILLS = Integer.getInteger("fdt.kill.points.service", 2);
  private static final int LATEST_MILLIS = 700;
  private static final Duration DEADLINE = Duration.ofSeconds(60);

  @TempDir private static Path root;
  private static Site site;

  /** Each test goes on with the one that the test before has left. */
  private static ServiceProcess service;

  /** The directory of a test, in the source and in the destination. */
  private String name;

  @BeforeAll
  static void start() throws Exception {
    site = new Site(root);
    service = ServiceProcess.start(root);
    site.addEndpoints(rest());
  }

  @AfterAll
  static void end() throws Exception {
    service.close();
    site.close();
  }

  @BeforeEach
  void writeFiles(TestInfo test) throws IOException {
    name = test.getTestMethod().orElseThrow().getName();
    site.write(name + "/large", 10 * Site.MIB, 1);
    site.write(name + "/small", 1000, 2);
  }

  private static Rest rest() throws Exception {
    return site.rest(service.url());
  }

  /** A transfer of the directory of this test. */
  private Map<String, Object> transfer(long bytesPerSecond) {
    Map<String, Object> task = Site.slow(bytesPerSecond);
    task.put("source_paths", List.of("/data/" + name));
    return task;
  }

  /** The sessions of this test. */
  private List<RemoteSession> sessions() throws Exception {
    List<RemoteSession> all = new ArrayList<>();
    for (FdtServer server : List.of(site.source(), site.destination())) {
      try (FdtClient client =
          FdtClient.builder("127.0.0.1")
              .port(server.address().getPort())
              .trust(ServerTrust.pinned(server.fingerprint()))
              .token(AccessToken.of(server.localToken()))
              .build()) {
        all.addAll(client.sessions());
      }
    }
    all.removeIf(session -> !session.request().sources().equals(List.of("/data/" + name)));
    return all;
  }

  private void assertArrived(Path directory) throws IOException {
    for (String file : List.of("large", "small")) {
      Path path = Path.of(name, file);
      assertThat(Files.mismatch(directory.resolve(path), site.data.resolve(path))).isEqualTo(-1);
    }
  }

  /**
   * Of three tasks at once: a transfer between servers is found again and not started twice, one
   * with this machine as an end goes on from the journal, and a deletion is not a failure because
   * it was done before, whether the service died before it removed the names, or after.
   */
  @Test
  void whatRunsGoesOnWhenTheServiceIsBack() throws Exception {
    Map<String, Object> between = transfer(2L * Site.MIB);
    Map<String, Object> local = transfer(2L * Site.MIB);
    local.put("source_endpoint", "local");
    local.put("source_paths", List.of(site.data.resolve(name).toString()));
    local.put("destination_path", "/inc/local/");
    Map<String, Object> delete =
        Map.of(
            "kind",
            "delete",
            "source_endpoint",
            "b",
            "source_paths",
            List.of("/inc/gone"),
            "options",
            Map.of("recursive", true));
    Files.createDirectories(site.incoming.resolve("gone/deep"));
    Files.createDirectories(site.incoming.resolve("local"));
    Object localTask = submit(local);
    Object betweenTask = submit(between);
    for (Object task : List.of(betweenTask, localTask)) {
      await("data that flows")
          .atMost(DEADLINE)
          .until(() -> (Long) rest().task(task).get("bytes_done") > Site.MIB);
    }
    Object deletion = submit(delete);

    service.kill();
    service = ServiceProcess.start(root);

    assertThat(rest().end(betweenTask))
        .containsEntry("state", "succeeded")
        .containsEntry("attempts", 1L);
    assertThat(rest().events(betweenTask))
        .containsExactly("submitted", "started", "found_again", "succeeded");
    assertThat(rest().end(localTask)).containsEntry("state", "succeeded");
    assertThat(rest().events(localTask)).filteredOn("succeeded"::equals).hasSize(1);
    assertThat(rest().end(deletion)).containsEntry("state", "succeeded");
    assertThat(sessions()).hasSize(1);
    assertArrived(site.incoming);
    assertArrived(site.incoming.resolve("local"));
    assertThat(site.incoming.resolve("gone")).doesNotExist();
  }

  private Object submit(Map<String, Object> task) throws Exception {
    return rest().post("/api/v1/tasks", task).expect(201).json().get("task_id");
  }

  /** At moments that nobody has chosen: also between what the servers and the database know. */
  @Test
  @Timeout(900) // make soak-service: 20 starts of a JVM
  void killedAgainAndAgain() throws Exception {
    Random random = new Random(SEED);
    System.out.println("seed " + SEED);
    Map<String, Object> request = transfer(4L * Site.MIB);
    request.put("submission_id", "one");
    Object task = rest().post("/api/v1/tasks", request).expect(201).json().get("task_id");
    for (int i = 0; i < KILLS; i++) {
      TimeUnit.MILLISECONDS.sleep(random.nextInt(LATEST_MILLIS)); // the moment is what is tested
      service.kill();
      service = ServiceProcess.start(root);
    }

    assertThat(rest().post("/api/v1/tasks", request).expect(200).json())
        .containsEntry("task_id", task);
    assertThat(rest().end(task)).containsEntry("state", "succeeded");
    List<String> events = rest().events(task);
    assertThat(events).filteredOn("submitted"::equals).hasSize(1);
    assertThat(events).filteredOn("succeeded"::equals).hasSize(1);
    assertThat(events).startsWith("submitted").endsWith("succeeded");
    assertThat(sessions())
        .filteredOn(session -> session.state() == RemoteSession.State.DONE)
        .hasSize(1);
    assertThat(sessions()).allMatch(RemoteSession::hasEnded);
    assertArrived(site.incoming);
  }

  @Test
  void itEndsInGoodOrderAndTheTransferGoesOn() throws Exception {
    Object task = submit(transfer(4L * Site.MIB));
    await("data that flows")
        .atMost(DEADLINE)
        .until(() -> (Long) rest().task(task).get("bytes_done") > Site.MIB);

    assertThat(service.stop()).isZero();
    await("the end of the transfer")
        .atMost(DEADLINE)
        .until(() -> sessions().stream().allMatch(RemoteSession::hasEnded));
    assertArrived(site.incoming);

    service = ServiceProcess.start(root);
    assertThat(rest().end(task)).containsEntry("state", "succeeded").containsEntry("attempts", 1L);
    assertThat(sessions()).hasSize(1);
  }
}
