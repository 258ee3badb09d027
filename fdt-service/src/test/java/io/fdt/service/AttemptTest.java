package io.fdt.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fdt.client.AccessToken;
import io.fdt.client.FdtClient;
import io.fdt.client.ServerTrust;
import io.fdt.core.model.Grant;
import io.fdt.core.model.RelayGrant;
import io.fdt.server.FdtServer;
import io.fdt.server.NamedTokens;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What one attempt of a task may do, and what comes of it. */
@Timeout(120)
class AttemptTest {
  private static final Duration DEADLINE = Duration.ofSeconds(30);

  @TempDir private Path root;
  private Site site;
  private Rest rest;

  @BeforeEach
  void start() throws Exception {
    site = new Site(root);
    rest = site.rest(site.service().url());
  }

  @AfterEach
  void end() throws Exception {
    site.close();
  }

  private Object submit(Map<String, Object> task) throws Exception {
    return rest.post("/api/v1/tasks", task).expect(201).json().get("task_id");
  }

  private static int sessions(FdtServer server) throws Exception {
    try (FdtClient client =
        FdtClient.builder("127.0.0.1")
            .port(server.address().getPort())
            .trust(ServerTrust.pinned(server.fingerprint()))
            .token(AccessToken.of(server.localToken()))
            .build()) {
      return client.sessions().size();
    }
  }

  /** A way to a server that can be closed: connections wait there. */
  private static final class Door implements AutoCloseable {
    private final ServerSocket outer;
    private final InetSocketAddress inner;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private volatile CountDownLatch open = new CountDownLatch(0);
    private final CountDownLatch waiting = new CountDownLatch(1);

    Door(InetSocketAddress inner) throws IOException {
      this.inner = inner;
      outer = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
      threads.execute(this::accept);
    }

    private void accept() {
      while (!outer.isClosed()) {
        try {
          Socket client = outer.accept();
          threads.execute(() -> join(client));
        } catch (IOException e) {
          return;
        }
      }
    }

    private void join(Socket client) {
      try (client;
          Socket server = new Socket(InetAddress.getLoopbackAddress(), inner.getPort())) {
        if (open.getCount() > 0) {
          waiting.countDown();
        }
        open.await();
        threads.execute(() -> copy(server, client));
        copy(client, server);
      } catch (IOException | InterruptedException e) {
        // the connection has ended
      }
    }

    private static void copy(Socket from, Socket to) {
      try {
        InputStream in = from.getInputStream();
        in.transferTo(to.getOutputStream());
        to.shutdownOutput();
      } catch (IOException e) {
        // the connection has ended
      }
    }

    @Override
    public void close() throws IOException {
      open.countDown();
      outer.close();
      threads.shutdownNow();
    }
  }

  /** It was suspended for longer than its lease, say, while it reached for the servers. */
  @Test
  void aProcessWhoseTaskWasTakenOverStartsNoTransfer() throws Exception {
    site.write("run/file", 1000, 1);
    try (Door door = new Door(site.source().address())) {
      Map<String, Object> a = Site.endpoint("a", site.source());
      a.put("address", "127.0.0.1:" + door.outer.getLocalPort());
      rest.post("/api/v1/endpoints", a).expect(201);
      rest.post("/api/v1/endpoints", Site.endpoint("b", site.destination())).expect(201);
      await("the first looks")
          .atMost(DEADLINE)
          .until(() -> site.number("SELECT COUNT(*) FROM endpoint WHERE checked > 0") == 2);
      door.open = new CountDownLatch(1);
      Object task = submit(Site.transfer());
      door.waiting.await();
      site.sql(
          "UPDATE task SET epoch = epoch + 1, lease_owner = 'other.1', lease_until ="
              + " 99999999999999");
      door.open.countDown();

      await("the process has left it")
          .atMost(DEADLINE)
          .until(() -> rest.get("/api/v1/session").json().get("tasks_running").equals(0L));
      assertThat(sessions(site.source()) + sessions(site.destination())).isZero();
      assertThat(site.incoming).isEmptyDirectory();
      assertThat(rest.task(task)).containsEntry("state", "active");
    }
  }

  /** Clients of servers are kept for the next who asks. */
  @Test
  void aNarrowTokenDoesNotGetTheRightsOfAWideOneAtTheSameServer() throws Exception {
    String narrow =
        NamedTokens.ofHome(root.resolve("b"))
            .create(
                new Grant(
                    "narrow",
                    Instant.now(),
                    Optional.empty(),
                    true,
                    Set.of(),
                    List.of(),
                    true,
                    false,
                    RelayGrant.UNLIMITED));
    Map<String, Object> wide = Site.endpoint("wide", site.destination());
    rest.post("/api/v1/endpoints", wide).expect(201);
    Map<String, Object> other = Site.endpoint("narrow", site.destination());
    other.put("token", narrow);
    await("the server knows the token")
        .atMost(DEADLINE)
        .until(() -> rest.post("/api/v1/endpoints", other).status() == 201);

    rest.post("/api/v1/endpoints/wide/directories", Map.of("path", "/inc/one")).expect(200);
    rest.post("/api/v1/endpoints/narrow/directories", Map.of("path", "/inc/two")).expect(422);
    assertThat(site.incoming.resolve("two")).doesNotExist();
  }
}
