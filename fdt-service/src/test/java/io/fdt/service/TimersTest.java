package io.fdt.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Recurring tasks, and those who are told of the ends of tasks. */
@Timeout(120)
class TimersTest {
  private static final Duration DEADLINE = Duration.ofSeconds(30);

  @TempDir private Path root;
  private Site site;
  private Rest rest;
  private TransferService service;
  private HttpServer receiver;
  private final Queue<Received> received = new ConcurrentLinkedQueue<>();

  private record Received(String delivery, String signature, String body) {}

  @BeforeEach
  void start() throws Exception {
    site = new Site(root);
    site.write("run/file", 1000, 1);
    service = site.service();
    rest = site.rest(service.url());
    site.addEndpoints(rest);
  }

  @AfterEach
  void end() throws Exception {
    site.close();
    if (receiver != null) {
      receiver.stop(0);
    }
  }

  private Map<String, Object> timer(long seconds) {
    return new LinkedHashMap<>(
        Map.of("name", "nightly", "interval", seconds, "task", Site.transfer()));
  }

  private Map<String, Object> shown() throws Exception {
    return rest.get("/api/v1/timers/nightly").expect(200).json();
  }

  @Test
  void aTimeIsOneTaskAlsoAcrossARestart() throws Exception {
    Map<String, Object> timer = timer(3600);
    timer.put("start", Instant.now().plusSeconds(3600).toString());
    rest.post("/api/v1/timers", timer).expect(201);
    long due = Instant.now().minusSeconds(1).toEpochMilli();
    site.sql("UPDATE timer SET next_at = " + due);
    await("its first run").atMost(DEADLINE).until(() -> shown().get("runs").equals(1L));
    Object task = shown().get("last_task");
    assertThat(rest.end(task)).containsEntry("state", "succeeded");
    assertThat(Instant.parse((String) shown().get("next"))).isAfter(Instant.now());

    service.close();
    // As when the service is killed between the task and the note of it.
    site.sql("UPDATE timer SET runs = 0, last_task = '', next_at = " + due);
    service = site.service();
    rest = site.rest(service.url());
    await("the same run").atMost(DEADLINE).until(() -> shown().get("runs").equals(1L));
    assertThat(shown()).containsEntry("runs", 1L).containsEntry("last_task", task);
    assertThat((List<?>) rest.get("/api/v1/tasks").json().get("tasks")).hasSize(1);
    rest.send("DELETE", "/api/v1/timers/nightly", null).expect(204);
    rest.get("/api/v1/timers/nightly").expect(404);
  }

  /** A user who looks at the timers only sees that nothing arrives. */
  @Test
  void theFailureOfTheLastTaskIsItsProblem() throws Exception {
    Map<String, Object> timer = timer(3600);
    Map<String, Object> task = Site.transfer();
    task.put("source_paths", List.of("/data/nowhere"));
    timer.put("task", task);
    rest.post("/api/v1/timers", timer).expect(201);
    await("its first run").atMost(DEADLINE).until(() -> shown().get("runs").equals(1L));
    assertThat(rest.end(shown().get("last_task"))).containsEntry("state", "failed");
    assertThat((String) shown().get("message"))
        .startsWith("the last task failed: ")
        .contains("nowhere");
  }

  @Test
  void aWindowHoldsItsFirstTimeBack() throws Exception {
    Map<String, Object> timer = timer(3600);
    LocalTime now = LocalTime.now(ZoneId.systemDefault());
    DateTimeFormatter minutes = DateTimeFormatter.ofPattern("HH:mm");
    String window = minutes.format(now.plusHours(5)) + "-" + minutes.format(now.plusHours(6));
    timer.put("window", window);
    rest.post("/api/v1/timers", timer).expect(201);
    assertThat(shown()).containsEntry("window", window).containsEntry("runs", 0L);
    assertThat(Instant.parse((String) shown().get("next")))
        .isAfter(Instant.now().plus(Duration.ofHours(3)));

    timer.put("name", "other");
    timer.put("start", "+292278994-08-17T07:12:55Z");
    assertThat(rest.post("/api/v1/timers", timer).expect(400).text()).contains("'start'");
    timer.remove("start");
    timer.put("window", "22-06");
    assertThat(rest.post("/api/v1/timers", timer).expect(400).text()).contains("22:00-06:00");
    timer.put("window", window);
    timer.put("end", Instant.now().plusSeconds(60).toString());
    assertThat(rest.post("/api/v1/timers", timer).expect(400).text()).contains("before 'end'");
  }

  @Test
  void itGoesOnUntilItsEnd() throws Exception {
    Map<String, Object> timer = timer(1);
    timer.put("end", Instant.now().plusMillis(1500).toString());
    rest.post("/api/v1/timers", timer).expect(201);

    await("its end").atMost(DEADLINE).until(() -> shown().get("next") == null);
    assertThat((Long) shown().get("runs")).isBetween(1L, 2L);
  }

  @Test
  void itEndsWithTheRightsOfItsUser() throws Exception {
    service.close();
    ServiceOptions options =
        ServiceOptions.parse(
            List.of("--port", "0", "--dial-to", "127.0.0.1/32"), Map.of(), root.resolve("fdt"));
    try (TransferService open = TransferService.start(options, "tester", root)) {
      Rest admin = site.rest(open.url());
      Object token =
          admin
              .post("/api/v1/tokens", Map.of("label", "x", "user", "bob", "role", "user"))
              .expect(201)
              .json()
              .get("token");
      rest = new Rest(open.url(), (String) token);
      site.addEndpoints(rest);
      rest.post("/api/v1/timers", timer(1)).expect(201);
      await("its first run").atMost(DEADLINE).until(() -> !shown().get("runs").equals(0L));

      admin.send("PUT", "/api/v1/users/bob", Map.of("role", "reader")).expect(200);
      await("its end")
          .atMost(DEADLINE)
          .until(() -> ((String) shown().get("message")).contains("may not submit"));
    }
  }

  @Test
  void aTimeAtWhichTheLastTaskStillRunsIsLeftOut() throws Exception {
    site.write("run/large", 16 * Site.MIB, 2);
    Map<String, Object> timer = timer(1);
    timer.put("task", Site.slow(1 << 18));
    rest.post("/api/v1/timers", timer).expect(201);

    await("a time that is left out")
        .atMost(DEADLINE)
        .until(() -> ((String) shown().get("message")).contains("the last task had not ended"));

    assertThat(shown()).containsEntry("runs", 1L);
    rest.send("DELETE", "/api/v1/timers/nightly", null).expect(204);
  }

  @Test
  void whatCouldNeverRunIsRefusedAtOnce() throws Exception {
    Map<String, Object> timer = timer(60);
    Map<String, Object> task = Site.transfer();
    task.put("destination_endpoint", "nowhere");
    timer.put("task", task);
    rest.post("/api/v1/timers", timer).expect(404);
    rest.post("/api/v1/timers", timer(0)).expect(400);
    task = Site.transfer();
    task.put("submission_id", "mine");
    timer.put("task", task);
    rest.post("/api/v1/timers", timer).expect(400);
  }

  /** A receiver that refuses so many deliveries first. */
  private String receiver(int refusals) throws Exception {
    receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    receiver.createContext(
        "/",
        exchange -> {
          received.add(
              new Received(
                  exchange.getRequestHeaders().getFirst("X-FDT-Delivery"),
                  exchange.getRequestHeaders().getFirst("X-FDT-Signature"),
                  new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8)));
          exchange.sendResponseHeaders(received.size() <= refusals ? 500 : 204, -1);
          exchange.close();
        });
    receiver.start();
    return "http://127.0.0.1:" + receiver.getAddress().getPort() + "/hook";
  }

  @Test
  void aWebhookIsSignedAndRepeatedUntilItIsTaken() throws Exception {
    Map<String, Object> hook =
        rest.post("/api/v1/webhooks", Map.of("url", receiver(1))).expect(201).json();
    Object task = rest.post("/api/v1/tasks", Site.transfer()).expect(201).json().get("task_id");
    rest.end(task);

    await("a second delivery").atMost(DEADLINE).until(() -> received.size() >= 2);
    Received first = received.remove();
    Received second = received.remove();
    assertThat(second.delivery()).isEqualTo(first.delivery()).startsWith("" + task);
    assertThat(second.body())
        .contains("\"state\":\"succeeded\"", "\"task_id\":\"" + task + "\"", "\"files_deleted\":0");
    String time = second.signature().replaceFirst("t=([0-9]+),.*", "$1");
    Mac mac = Mac.getInstance("HmacSHA256");
    byte[] key = ((String) hook.get("secret")).getBytes(StandardCharsets.UTF_8);
    mac.init(new SecretKeySpec(key, "HmacSHA256"));
    byte[] tag = mac.doFinal((time + "." + second.body()).getBytes(StandardCharsets.UTF_8));
    assertThat(second.signature()).isEqualTo("t=" + time + ",v1=" + HexFormat.of().formatHex(tag));
    // What was taken is not sent again: the next task's delivery is the next to come.
    Object other = rest.post("/api/v1/tasks", Site.transfer()).expect(201).json().get("task_id");
    await("the next").atMost(DEADLINE).until(() -> !received.isEmpty());
    assertThat(received.remove().delivery()).startsWith("" + other);
    assertThat(rest.get("/api/v1/webhooks").text()).doesNotContain((String) hook.get("secret"));
  }

  @Test
  void faultsAndMissedDeadlinesAreToldWhereTheyAreAskedFor() throws Exception {
    String url = receiver(0);
    Map<String, Object> hook =
        rest.post("/api/v1/webhooks", Map.of("url", url, "notify", List.of("fault", "deadline")))
            .expect(201)
            .json();
    assertThat(hook).containsEntry("notify", List.of("fault", "deadline"));
    rest.end(rest.post("/api/v1/tasks", Site.transfer()).expect(201).json().get("task_id"));
    site.stopDestination();
    Map<String, Object> request = Site.transfer();
    request.put("deadline", Instant.now().plusSeconds(4).toString());
    Object task = rest.post("/api/v1/tasks", request).expect(201).json().get("task_id");
    assertThat(rest.end(task)).containsEntry("state", "failed");

    await("the deadline")
        .atMost(DEADLINE)
        .until(() -> received.stream().anyMatch(one -> one.body().contains("task.deadline")));
    assertThat(received) // of several faults the first one
        .extracting(Received::body)
        .allMatch(body -> body.contains("\"task_id\":\"" + task + "\""))
        .satisfiesExactlyInAnyOrder(
            body -> assertThat(body).contains("\"event\":\"task.fault\"", "cannot connect"),
            body ->
                assertThat(body)
                    .contains(
                        "\"event\":\"task.deadline\"", "\"state\":\"failed\"", "the deadline "));
    assertThat(received).extracting(Received::delivery).doesNotHaveDuplicates();
    rest.post("/api/v1/webhooks", Map.of("url", url, "notify", List.of("all"))).expect(400);
    rest.post("/api/v1/webhooks", Map.of("url", url, "notify", List.of("confirm"))).expect(400);
  }

  /** The answer of a receiver does not lead elsewhere: what it names is not asked. */
  @Test
  void aWebhookIsGivenUpAfterADay() throws Exception {
    service.close();
    MovingClock clock = new MovingClock();
    service = site.service(clock);
    rest = site.rest(service.url());
    rest.post("/api/v1/webhooks", Map.of("url", receiver(1000))).expect(201);
    rest.end(rest.post("/api/v1/tasks", Site.transfer()).expect(201).json().get("task_id"));
    awaitDeliveries("attempts = 1", 1);

    clock.move(Duration.ofHours(23));
    awaitDeliveries("attempts = 2", 1);
    clock.move(Duration.ofHours(2));
    awaitDeliveries("attempts >= 0", 0);
  }

  private void awaitDeliveries(String which, long count) {
    await(which)
        .atMost(DEADLINE)
        .until(() -> site.number("SELECT COUNT(*) FROM outbox WHERE " + which) == count);
  }

  @Test
  void aWebhookFollowsNoRedirect() throws Exception {
    String url = receiver(0);
    Queue<String> asked = new ConcurrentLinkedQueue<>();
    receiver.removeContext("/");
    receiver.createContext(
        "/",
        exchange -> {
          asked.add(exchange.getRequestURI().getPath());
          exchange.getResponseHeaders().add("Location", "/elsewhere");
          exchange.sendResponseHeaders(307, -1);
          exchange.close();
        });
    rest.post("/api/v1/webhooks", Map.of("url", url)).expect(201);
    rest.end(rest.post("/api/v1/tasks", Site.transfer()).expect(201).json().get("task_id"));
    await("the repetition").atMost(DEADLINE).until(() -> asked.size() >= 2);
    assertThat(asked).containsOnly("/hook");
  }

  /** As when the name that was allowed leads to another address by then. */
  @Test
  void theAddressOfAWebhookIsCheckedWhenItIsDelivered() throws Exception {
    String url = receiver(0);
    rest.post("/api/v1/webhooks", Map.of("url", url)).expect(201);
    Object task = rest.post("/api/v1/tasks", Site.transfer()).expect(201).json().get("task_id");
    rest.end(task);
    await("that of the one who has started it")
        .atMost(DEADLINE)
        .until(() -> !received.isEmpty() && site.number("SELECT COUNT(*) FROM outbox") == 0);
    received.clear();
    // Both are another user's now, who may not reach this machine.
    site.sql("UPDATE webhook SET owner = 'bob'");
    site.sql("UPDATE task SET owner = 'bob'");
    site.sql(
        "INSERT INTO outbox (channel, target, task, notice, detail, attempts, next_at, created)"
            + " SELECT 'WEBHOOK', webhook.id, task.id, 'END', '', 0, 0, CAST(unixepoch('subsec') *"
            + " 1000 AS INTEGER) FROM task, webhook LIMIT 1");
    await("an attempt")
        .atMost(DEADLINE)
        .until(
            () ->
                !received.isEmpty()
                    || site.number("SELECT COALESCE(MAX(attempts), 0) FROM outbox") > 0);
    assertThat(received).isEmpty();
  }

  @Test
  void webhooksGoWhereTheRuleAllows() throws Exception {
    for (String url :
        List.of(
            "http://169.254.169.254/latest",
            "ftp://127.0.0.1/",
            "file:///etc/passwd",
            "http://user@127.0.0.1/",
            "x",
            "http://[fe80::1]/")) {
      assertThat(rest.post("/api/v1/webhooks", Map.of("url", url)).status()).as(url).isIn(400, 422);
    }
  }
}
