package io.fdt.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.fdt.client.AccessToken;
import io.fdt.client.FdtClient;
import io.fdt.client.RemoteSession;
import io.fdt.client.ServerTrust;
import io.fdt.core.error.FdtException;
import io.fdt.server.FdtServer;
import io.fdt.service.store.ClaimStore;
import io.fdt.service.store.Database;
import io.fdt.service.store.Endpoint;
import io.fdt.service.store.StoreException;
import io.fdt.service.store.TaskStore;
import io.fdt.service.store.access.AccountStore;
import io.fdt.service.store.access.Role;
import io.fdt.service.task.Counts;
import io.fdt.service.task.Task;
import io.fdt.service.task.TaskKind;
import io.fdt.service.task.TaskOptions;
import io.fdt.service.value.Fields;
import io.fdt.service.value.Secrets;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** The service on PostgreSQL: one process, and several that share the database. */
@Timeout(180)
class PostgresTest {
  private static final Duration DEADLINE = Duration.ofSeconds(30);
  private static final String LEASE_SECONDS = "2";

  @TempDir private static Path outputs;
  private static Postgres postgres;

  @TempDir private Path root;
  private String url;
  private Site site;

  @BeforeAll
  static void startPostgres() throws Exception {
    postgres = Postgres.start(outputs);
  }

  @AfterAll
  static void removePostgres() throws Exception {
    if (postgres != null) {
      postgres.remove();
    }
  }

  @BeforeEach
  void start() throws Exception {
    url = postgres.database();
    site = new Site(root);
    site.write("run/large", 5 * Site.MIB, 1);
  }

  @AfterEach
  void end() throws Exception {
    if (site != null) {
      site.close();
    }
  }

  private ServiceOptions options(String home) throws FdtException {
    return ServiceOptions.parse(
        List.of("--port", "0", "--lease", LEASE_SECONDS, "--database", url),
        Map.of(),
        root.resolve(home));
  }

  /** Another home with the same key. */
  private void prepareHome(String home) throws Exception {
    Path service = Files.createDirectories(root.resolve(home).resolve("service"));
    Files.copy(root.resolve("fdt/service/key"), service.resolve("key"));
  }

  private Rest rest(String home, String url) throws Exception {
    return new Rest(url, Site.commandToken(root.resolve(home)));
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

  /** Five seconds: longer than a lease. */
  private static Map<String, Object> slow() {
    Map<String, Object> task = Site.transfer();
    task.put("limit", (long) Site.MIB);
    return task;
  }

  private void assertArrived() throws IOException {
    assertThat(Files.mismatch(site.incoming.resolve("run/large"), site.data.resolve("run/large")))
        .isEqualTo(-1);
  }

  private static void awaitBytes(Rest rest, Object task) {
    await("data that flows")
        .atMost(DEADLINE)
        .until(() -> (Long) rest.task(task).get("bytes_done") > 0);
  }

  @Test
  void oneSettingAndTasksOutliveTheDatabasesRestart() throws Exception {
    try (TransferService service = TransferService.start(options("fdt"), "tester", root)) {
      Rest rest = site.rest(service.url());
      site.addEndpoints(rest);
      Map<String, Object> slow = slow();
      Object task = rest.post("/api/v1/tasks", slow).expect(201).json().get("task_id");
      awaitBytes(rest, task);

      postgres.stop();
      rest.get("/api/v1/tasks").expect(503);
      postgres.start();

      await("the database is back")
          .atMost(DEADLINE)
          .until(() -> rest.get("/api/v1/tasks").status() == 200);
      assertThat(rest.end(task)).containsEntry("state", "succeeded").containsEntry("attempts", 1L);
      assertThat(rest.events(task))
          .startsWith("submitted", "started")
          .endsWith("succeeded")
          .doesNotHaveDuplicates();
      assertThat(sessions()).hasSize(1);
      assertArrived();
    }
  }

  @Test
  void anOutageOfTheDatabaseIsTwoLinesOfTheLogHoweverLongItIs() throws Exception {
    Logger log = (Logger) LoggerFactory.getLogger("io.fdt.service");
    Queue<ILoggingEvent> lines = new ConcurrentLinkedQueue<>();
    AppenderBase<ILoggingEvent> appender =
        new AppenderBase<>() {
          @Override
          protected void append(ILoggingEvent line) {
            lines.add(line);
          }
        };
    appender.start();
    log.addAppender(appender);
    try (TransferService service = TransferService.start(options("fdt"), "tester", root)) {
      Rest rest = site.rest(service.url());
      site.addEndpoints(rest);
      submitTo(rest);
      postgres.stop();
      for (int i = 0; i < 10; i++) {
        rest.get("/api/v1/tasks").expect(503);
        rest.get("/healthz").expect(503);
      }
      postgres.start();
      await("the line that it is back")
          .atMost(DEADLINE)
          .until(
              () ->
                  rest.get("/healthz").status() == 200
                      && lines.stream().anyMatch(line -> text(line).contains("is back")));
      assertThat(lines)
          .filteredOn(line -> line.getLevel() != Level.INFO)
          .extracting(PostgresTest::text)
          .filteredOn(line -> line.contains("the database is"))
          .hasSize(2)
          .first()
          .asString()
          .contains("it cannot be reached");
      assertThat(lines)
          .noneMatch(line -> line.getLevel() == Level.ERROR || line.getThrowableProxy() != null)
          .noneMatch(line -> text(line).contains("later:"));
    } finally {
      log.detachAppender(appender);
    }
  }

  private static String text(ILoggingEvent line) {
    return line.getFormattedMessage();
  }

  @Test
  void aRestartBetweenTwoTransactionsIsNotNoticed() throws Exception {
    try (Database database = Database.open(url)) {
      AccountStore accounts = new AccountStore(database, "tester");
      accounts.setRole("alice", Role.READER, 1);
      postgres.stop();
      postgres.start();
      assertThat(accounts.role("alice")).isEqualTo(Role.READER);
      postgres.stop();
      assertThatThrownBy(accounts::list).isInstanceOf(StoreException.class);
      postgres.start();
    }
  }

  @Test
  void twoProcessesShareADatabaseAndEachSeesWhatTheOtherDoes() throws Exception {
    try (TransferService first = TransferService.start(options("fdt"), "tester", root)) {
      prepareHome("other");
      try (TransferService second = TransferService.start(options("other"), "tester", root)) {
        Rest one = rest("fdt", first.url());
        Rest two = rest("other", second.url());
        site.addEndpoints(one);
        Object task = one.post("/api/v1/tasks", slow()).expect(201).json().get("task_id");
        awaitBytes(two, task);

        two.post("/api/v1/tasks/" + task + "/pause", null).expect(200);
        await("paused").atMost(DEADLINE).until(() -> one.task(task).get("state").equals("paused"));
        assertThat(two.get("/api/v1/counts?user=*&text=/INC").expect(200).json())
            .containsEntry("paused", 1L);
        assertThat(two.get("/api/v1/tasks?state=paused&text=a:&user=*").expect(200).text())
            .contains(task.toString());
        assertThat(two.get("/api/v1/audit?text=PAUSE&since=2020-01-01T00:00:00Z").text())
            .contains(task + "/pause");
        assertThat(two.get("/api/v1/audit?text=PAUSE&refused=true").text())
            .doesNotContain(task + "/pause");
        one.post("/api/v1/tasks/" + task + "/resume", null).expect(200);

        assertThat(two.end(task)).containsEntry("state", "succeeded");
        assertThat(one.events(task))
            .containsExactly("submitted", "started", "paused", "resumed", "started", "succeeded");
        assertArrived();
      }
    }
  }

  @Test
  void whatAKilledProcessWasDoingIsGoneOnWithByAnother() throws Exception {
    try (ServiceProcess first = process("fdt")) {
      Rest one = rest("fdt", first.url());
      site.addEndpoints(one);
      Object task = submitTo(one);
      prepareHome("other");
      try (TransferService second = sameOperator("other")) {
        first.kill();

        Rest left = rest("other", second.url());
        assertThat(left.end(task))
            .containsEntry("state", "succeeded")
            .containsEntry("attempts", 1L);
        assertOnce(left, task);
        assertThat(left.events(task)).contains("found_again");
        assertArrived();
      }
    }
  }

  /** A process that was suspended for longer than its lease writes nothing when it wakes up. */
  @Test
  void aProcessThatWasReplacedIsShutOut() throws Exception {
    try (ServiceProcess first = process("fdt")) {
      Rest one = rest("fdt", first.url());
      site.addEndpoints(one);
      Object task = submitTo(one);
      prepareHome("other");
      try (TransferService second = sameOperator("other")) {
        Rest two = rest("other", second.url());
        first.signal("STOP");
        await("the other process")
            .atMost(DEADLINE)
            .until(() -> two.events(task).contains("found_again"));
        first.signal("CONT");

        assertThat(two.end(task)).containsEntry("state", "succeeded").containsEntry("attempts", 1L);
        assertThat(one.end(task)).containsEntry("state", "succeeded");
        assertOnce(two, task);
      }
    }
  }

  /** What the machine of a process believes the time to be decides nothing. */
  @Test
  void aProcessWhoseClockIsWrongEndsNothingTooEarly() throws Exception {
    try (TransferService first = TransferService.start(options("fdt"), "tester", root)) {
      Rest one = rest("fdt", first.url());
      site.addEndpoints(one);
      Map<String, Object> request = slow();
      request.put("deadline", Instant.now().plus(Duration.ofHours(1)).toString());
      Object task = one.post("/api/v1/tasks", request).expect(201).json().get("task_id");
      one.post("/api/v1/tasks/" + task + "/pause", null).expect(200);
      prepareHome("other");
      Clock ahead = Clock.offset(Clock.systemUTC(), Duration.ofDays(400));
      try (TransferService second =
          TransferService.start(options("other"), "tester", root, ahead)) {
        Rest two = rest("other", second.url());
        Object other = two.post("/api/v1/tasks", slow()).expect(201).json().get("task_id");
        assertThat(two.end(other)).containsEntry("state", "succeeded"); // it has had its ticks
        assertThat(one.task(task)).containsEntry("state", "paused");
        assertThat(Instant.parse((String) two.task(other).get("ended")))
            .isBefore(Instant.now().plus(Duration.ofHours(1)));
        one.post("/api/v1/tasks/" + task + "/cancel", null).expect(200);
      }
    }
  }

  /** Whether a process has the task: each has one task at most here. */
  private static boolean runs(Rest rest) throws Exception {
    return rest.get("/metrics").expect(200).text().contains("fdt_service_tasks_running 1\n");
  }

  /** Submits a slow task, and waits until it runs. */
  private Object submitTo(Rest rest) throws Exception {
    Object task = rest.post("/api/v1/tasks", slow()).expect(201).json().get("task_id");
    awaitBytes(rest, task);
    return task;
  }

  /** On a busy machine a process may lose its short lease: its task is found again once more. */
  private void assertOnce(Rest rest, Object task) throws Exception {
    List<String> events = new ArrayList<>(rest.events(task));
    events.removeIf(event -> event.equals("found_again"));
    assertThat(events)
        .containsSubsequence("submitted", "started", "succeeded")
        .doesNotHaveDuplicates();
    assertThat(sessions()).hasSize(1);
  }

  /** Another process of the user of {@link #process}, in this JVM. */
  private TransferService sameOperator(String home) throws Exception {
    return TransferService.start(options(home), System.getProperty("user.name"), root);
  }

  private ServiceProcess process(String home) throws Exception {
    return ServiceProcess.startIn(
        root, root.resolve(home), "--database", url, "--lease", LEASE_SECONDS);
  }

  @Test
  void aBackupOfTheDatabaseAndTheKeyIsTheServiceAgain() throws Exception {
    Object task;
    try (TransferService first = TransferService.start(options("fdt"), "tester", root)) {
      Rest rest = rest("fdt", first.url());
      site.addEndpoints(rest);
      task = rest.post("/api/v1/tasks", Site.transfer()).expect(201).json().get("task_id");
      rest.end(task);
      url = postgres.restored(url);
    }
    prepareHome("other");
    try (TransferService restored = TransferService.start(options("other"), "tester", root)) {
      Rest rest = rest("other", restored.url());
      assertThat(rest.events(task)).contains("succeeded");
      rest.post("/api/v1/endpoints/a/check", null).expect(200); // its token is readable
    }
  }

  /** A sum over all processes counts each task, endpoint and byte once. */
  @Test
  void theFiguresOfTwoProcessesAddUp() throws Exception {
    try (TransferService first = TransferService.start(options("fdt"), "tester", root)) {
      prepareHome("other");
      try (TransferService second = TransferService.start(options("other"), "tester", root)) {
        Rest one = rest("fdt", first.url());
        Rest two = rest("other", second.url());
        site.addEndpoints(one);
        await("the first look at endpoints")
            .atMost(DEADLINE)
            .until(
                () ->
                    ((List<?>) one.get("/api/v1/endpoints").json().get("endpoints"))
                        .stream()
                            .allMatch(any -> "reachable".equals(((Map<?, ?>) any).get("state"))));
        Object task = submitTo(one);
        one.post("/api/v1/tasks/" + task + "/pause", null).expect(200);
        await("paused").atMost(DEADLINE).until(() -> one.task(task).get("state").equals("paused"));
        one.post("/api/v1/tasks/" + task + "/resume", null).expect(200);
        one.end(task);

        String both = two.get("/metrics").text() + one.get("/metrics").text();
        assertThat(sum(both, "fdt_service_attempts_total")).isEqualTo(2);
        assertThat(sum(both, "fdt_service_tasks_ended_total")).isEqualTo(1);
        assertThat(sum(both, "fdt_service_bytes_total")).isBetween(5L * Site.MIB, 9L * Site.MIB);
        assertThat(sum(both, "fdt_service_endpoint_reachable")).isEqualTo(2);
        assertThat(both).containsOnlyOnce("\nfdt_service_queue_age_seconds ");
      }
    }
  }

  private static long sum(String figures, String name) {
    return figures
        .lines()
        .filter(line -> line.startsWith(name + "{"))
        .mapToLong(line -> Long.parseLong(line.replaceFirst(".* ", "")))
        .sum();
  }

  /** Prometheus sees that the database is away, as it was known before. */
  @Test
  void whileTheDatabaseIsAwayMetricsSaySo() throws Exception {
    try (TransferService service = TransferService.start(options("fdt"), "tester", root)) {
      Rest rest = site.rest(service.url());
      assertThat(rest.get("/metrics").expect(200).text()).contains("fdt_service_database_up 1\n");
      postgres.stop();
      assertThat(rest.get("/metrics").expect(200).text())
          .contains("fdt_service_database_up 0\n")
          .doesNotContain("fdt_service_database_failures_total 0\n");
      rest.get("/api/v1/tasks").expect(503);
      new Rest(service.url(), "fdts_other").get("/metrics").expect(503);
      postgres.start();
    }
  }

  /** Another process may have taken its tasks over by then. */
  @Test
  void aProcessThatCannotRenewItsLeaseLeavesItsTasks() throws Exception {
    try (TransferService service = TransferService.start(options("fdt"), "tester", root)) {
      Rest rest = site.rest(service.url());
      site.addEndpoints(rest);
      submitTo(rest);
      assertThat(runs(rest)).isTrue();
      postgres.stop();
      await("the end of its lease")
          .atMost(Duration.ofSeconds(20))
          .until(
              () -> {
                String figures = rest.get("/metrics").expect(200).text();
                return figures.contains("fdt_service_database_up 0\n")
                    && figures.contains("fdt_service_tasks_running 0\n");
              });
      postgres.start();
    }
  }

  /** Each decides by what the other has started: not both at once. */
  @Test
  void twoProcessesDecideOneAfterTheOther() throws Exception {
    TransferService.start(options("fdt"), "tester", root).close(); // makes the tables
    CountDownLatch isDeciding = new CountDownLatch(1);
    CountDownLatch mayEnd = new CountDownLatch(1);
    List<String> order = new CopyOnWriteArrayList<>();
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try (Database first = Database.open(url);
        Database second = Database.open(url);
        Connection watcher = DriverManager.getConnection(url)) {
      for (String source : List.of("a", "b")) {
        new TaskStore(first).submit(waiting(source), "");
      }
      Future<?> one =
          threads.submit(
              () ->
                  claims(first, "one")
                      .claim(
                          10,
                          100,
                          (waiting, running) -> {
                            isDeciding.countDown();
                            awaitQuietly(mayEnd);
                            order.add("one");
                            return waiting;
                          }));
      isDeciding.await();
      Future<?> two =
          threads.submit(
              () ->
                  claims(second, "two")
                      .claim(
                          10,
                          100,
                          (waiting, running) -> {
                            order.add("two");
                            return waiting;
                          }));
      try {
        await("the second process waits for the first")
            .atMost(Duration.ofSeconds(20))
            .until(
                () -> {
                  try (ResultSet row =
                      watcher
                          .createStatement()
                          .executeQuery(
                              "SELECT COUNT(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT"
                                  + " granted")) {
                    row.next();
                    return row.getLong(1) == 1;
                  }
                });
      } finally {
        mayEnd.countDown();
      }
      one.get();
      two.get();
      assertThat(order).first().isEqualTo("one");
    } finally {
      threads.shutdown();
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static ClaimStore claims(Database database, String home) {
    return new ClaimStore(
        database,
        new ClaimStore.Member(home + ".1", home, Endpoint.localId(home), Duration.ofHours(1)));
  }

  private static Task waiting(String source) throws Exception {
    return new Task(
        Secrets.id(),
        "alice",
        Secrets.id(),
        new Task.Work(
            TaskKind.TRANSFER,
            source,
            source,
            "c",
            "c",
            List.of("/x"),
            "/y",
            TaskOptions.of(new Fields(Map.of()))),
        new Task.Wish("", 0, Long.MAX_VALUE / 2, 0),
        Task.Run.NEW,
        Counts.NONE,
        1,
        0,
        0,
        0,
        0);
  }

  @Test
  void anotherKeyIsRefusedWithoutSecrets() throws Exception {
    TransferService.start(options("fdt"), "tester", root).close();

    assertThatThrownBy(() -> TransferService.start(options("other"), "tester", root).close())
        .hasMessageContaining("another key")
        .hasMessageContaining("copy the file")
        .message()
        .doesNotContain("hidden");
  }
}
