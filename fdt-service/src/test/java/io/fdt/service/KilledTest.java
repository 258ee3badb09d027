package io.fdt.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fdt.client.AccessToken;
import io.fdt.client.FdtClient;
import io.fdt.client.RemoteSession;
import io.fdt.client.ServerTrust;
import io.fdt.server.FdtServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A service that is killed with SIGKILL while tasks run, and started again. */
@Timeout(120)
class KilledTest {
  private static final long SEED = Long.getLong("fdt.seed", 7);
  private static final int KILLS = Integer.getInteger("fdt.kill.points.service", 2);
  private static final int LATEST_MILLIS = 700;
  private static final Duration DEADLINE = Duration.ofSeconds(60);

  @TempDir private Path root;
  private Site site;
  private ServiceProcess service;

  @BeforeEach
  void start() throws Exception {
    site = new Site(root);
    site.write("run/large", 10 * Site.MIB, 1);
    site.write("run/small", 1000, 2);
    service = ServiceProcess.start(root);
    site.addEndpoints(rest());
  }

  @AfterEach
  void end() throws Exception {
    service.close();
    site.close();
  }

  private Rest rest() throws Exception {
    return site.rest(service.url());
  }

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
    return all;
  }

  private void assertArrived() {
    assertThat(site.incoming.resolve("run/large"))
        .hasSameBinaryContentAs(site.data.resolve("run/large"));
    assertThat(site.incoming.resolve("run/small"))
        .hasSameBinaryContentAs(site.data.resolve("run/small"));
  }

  @Test
  void aTransferThatRunsIsFoundAgainAndNotStartedTwice() throws Exception {
    Object task = rest().post("/api/v1/tasks", Site.slow()).expect(201).json().get("task_id");
    await("data that flows")
        .atMost(DEADLINE)
        .until(() -> (Long) rest().task(task).get("bytes_done") > Site.MIB);

    service.kill();
    service = ServiceProcess.start(root);

    assertThat(rest().end(task)).containsEntry("state", "succeeded").containsEntry("attempts", 1L);
    assertThat(rest().events(task))
        .containsExactly("submitted", "started", "found_again", "succeeded");
    assertThat(sessions()).hasSize(1);
    assertArrived();
  }

  /** At moments that nobody has chosen: also between what the servers and the database know. */
  @Test
  @Timeout(900) // make soak-service: 20 starts of a JVM
  void killedAgainAndAgain() throws Exception {
    Random random = new Random(SEED);
    System.out.println("seed " + SEED);
    Map<String, Object> request = Site.slow();
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
    assertArrived();
  }

  @Test
  void withThisMachineAsOneEndItGoesOnFromTheJournal() throws Exception {
    Map<String, Object> request = Site.slow();
    request.put("source_endpoint", "local");
    request.put("source_paths", List.of(site.data.resolve("run").toString()));
    Object task = rest().post("/api/v1/tasks", request).expect(201).json().get("task_id");
    await("data that flows")
        .atMost(DEADLINE)
        .until(() -> (Long) rest().task(task).get("bytes_done") > 5 * Site.MIB);

    service.kill();
    service = ServiceProcess.start(root);

    assertThat(rest().end(task)).containsEntry("state", "succeeded");
    assertThat(rest().events(task)).filteredOn("succeeded"::equals).hasSize(1);
    assertArrived();
  }

  /** Whether the service died before it removed them, or after: the names are gone. */
  @Test
  void aDeletionIsNotAFailureBecauseItWasDoneBefore() throws Exception {
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
    Object task = rest().post("/api/v1/tasks", delete).expect(201).json().get("task_id");
    service.kill();
    service = ServiceProcess.start(root);

    assertThat(rest().end(task)).containsEntry("state", "succeeded");
    assertThat(site.incoming.resolve("gone")).doesNotExist();
  }

  @Test
  void itEndsInGoodOrderAndTheTransferGoesOn() throws Exception {
    Object task = rest().post("/api/v1/tasks", Site.slow()).expect(201).json().get("task_id");
    await("data that flows")
        .atMost(DEADLINE)
        .until(() -> (Long) rest().task(task).get("bytes_done") > Site.MIB);

    assertThat(service.stop()).isZero();
    await("the end of the transfer")
        .atMost(DEADLINE)
        .until(() -> sessions().stream().allMatch(RemoteSession::hasEnded));
    assertArrived();

    service = ServiceProcess.start(root);
    assertThat(rest().end(task)).containsEntry("state", "succeeded").containsEntry("attempts", 1L);
    assertThat(sessions()).hasSize(1);
  }
}
