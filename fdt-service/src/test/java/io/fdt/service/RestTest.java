package io.fdt.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.list;
import static org.assertj.core.api.InstanceOfAssertFactories.map;
import static org.awaitility.Awaitility.await;

import io.fdt.core.error.FdtException;
import io.fdt.json.Json;
import io.fdt.server.NamedTokens;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the REST interface promises beside tasks: its description, live news and figures. */
@Timeout(120)
class RestTest {
  private static final Duration DEADLINE = Duration.ofSeconds(60);

  @TempDir private Path root;
  private Site site;
  private TransferService service;
  private Rest rest;

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
  }

  @Test
  void theDescriptionHasEachRouteOnceAndNamesWhatASubmissionTakes() throws Exception {
    Map<String, Object> api = rest.get("/api/openapi.json").expect(200).json();

    assertThat(api).containsEntry("openapi", "3.1.0");
    Map<?, ?> paths = (Map<?, ?>) api.get("paths");
    Set<Object> ids = new LinkedHashSet<>();
    int operations = 0;
    for (Object path : paths.values()) {
      for (Object operation : ((Map<?, ?>) path).values()) {
        operations++;
        ids.add(((Map<?, ?>) operation).get("operationId"));
        assertThat((String) ((Map<?, ?>) operation).get("summary")).endsWith(".");
      }
    }
    assertThat(ids).hasSize(operations);
    assertThat(Json.text(((Map<?, ?>) paths.get("/api/v1/tasks")).get("post")))
        .contains("\"submission_id\"", "\"additionalProperties\":false", "\"source_paths\"");
    // Each path that is described answers, if only that it wants a token.
    for (Object path : paths.keySet()) {
      int status =
          new Rest(service.url(), "").get(path.toString().replaceAll("\\{[a-z]+\\}", "x")).status();
      assertThat(status).as("%s", path).isIn(200, 401, 405);
    }
  }

  @Test
  void newsOfATaskComeWhileItHappens() throws Exception {
    try (Socket socket = new Socket()) {
      BufferedReader in = watch(socket);
      Object task = rest.post("/api/v1/tasks", Site.transfer()).expect(201).json().get("task_id");
      Set<Object> states = new LinkedHashSet<>();
      while (!states.contains("succeeded")) {
        String line = awaitLine(in, "data: ");
        Map<String, Object> news = Json.parseObject(line.substring(6));
        assertThat(news).containsEntry("task_id", task);
        states.add(news.get("state"));
      }
      assertThat(states).isSubsetOf("queued", "active", "succeeded");
    }
  }

  /** A page that has read a task ignores news that are older, so it would show nothing any more. */
  @Test
  void newsAreNeverOlderThanWhatWasReadBefore() throws Exception {
    site.write("run/large", 16 * Site.MIB, 2);
    Object id = rest.post("/api/v1/tasks", Site.slow(1 << 18)).expect(201).json().get("task_id");
    await("data that flows").atMost(DEADLINE).until(() -> rest.task(id).containsKey("streams"));
    long read = (Long) rest.task(id).get("version");
    try (Socket socket = new Socket()) {
      BufferedReader in = watch(socket);

      Map<String, Object> news = Json.parseObject(awaitLine(in, "data: ").substring(6));

      assertThat(news).containsEntry("task_id", id);
      assertThat((Long) news.get("version")).isGreaterThanOrEqualTo(read);
    }
  }

  /** A modification is no news of what the transfer does. */
  @Test
  void aModifiedTaskKeepsItsProgress() throws Exception {
    site.write("run/large", 16 * Site.MIB, 2);
    Object id = rest.post("/api/v1/tasks", Site.slow(1 << 18)).expect(201).json().get("task_id");
    await("data that flows").atMost(DEADLINE).until(() -> rest.task(id).containsKey("streams"));
    String path = "/api/v1/tasks/" + id;

    rest.send("PATCH", path, Map.of("label", "other"), "If-Match", "*").expect(200);

    assertThat(rest.task(id)).containsEntry("label", "other").containsKey("streams");
  }

  @Test
  void anIdempotencyKeyIsASubmissionId() throws Exception {
    String path = "/api/v1/tasks";
    Object id =
        rest.send("POST", path, Site.transfer(), "Idempotency-Key", "\"run-1\"")
            .expect(201)
            .json()
            .get("task_id");
    Map<String, Object> task = Site.transfer();
    task.put("submission_id", "run-1");
    assertThat(rest.post(path, task).expect(200).json()).containsEntry("task_id", id);
    rest.send("POST", path, task, "Idempotency-Key", "run-1").expect(200);
    assertThat(rest.send("POST", path, task, "Idempotency-Key", "run-2").expect(400).text())
        .contains("'submission_id' and the header Idempotency-Key differ");
    rest.send("POST", path, Site.transfer(), "Idempotency-Key", "x".repeat(101)).expect(400);
    rest.post(path + "?Idempotency-Key=run-3", Site.transfer()).expect(400);
    Object operation =
        Json.parseObject(rest.get("/api/openapi.json").text()).get("paths") instanceof Map<?, ?> all
                && all.get(path) instanceof Map<?, ?> methods
            ? methods.get("post")
            : null;
    assertThat(operation)
        .asInstanceOf(map(String.class, Object.class))
        .extractingByKey("parameters", list(Object.class))
        .singleElement(map(String.class, Object.class))
        .containsEntry("name", "Idempotency-Key")
        .containsEntry("in", "header");
  }

  /** Hears the news of tasks; the reader has the answer from its first ping on. */
  private BufferedReader watch(Socket socket) throws Exception {
    URI uri = URI.create(service.url());
    socket.connect(new InetSocketAddress(uri.getHost(), uri.getPort()));
    socket.setSoTimeout(30_000);
    socket
        .getOutputStream()
        .write(
            ("GET /api/v1/live HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
                    + site.commandToken()
                    + "\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII));
    BufferedReader in =
        new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
    awaitLine(in, ": ping");
    return in;
  }

  private static String awaitLine(BufferedReader in, String beginning) throws Exception {
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      if (line.startsWith(beginning)) {
        return line;
      }
    }
    throw new AssertionError("the stream ended before: " + beginning);
  }

  @Test
  void figuresForPrometheusNeedTheirScope() throws Exception {
    rest.end(rest.post("/api/v1/tasks", Site.transfer()).expect(201).json().get("task_id"));
    Map<String, Object> token =
        rest.post("/api/v1/tokens", Map.of("label", "p", "scopes", List.of("metrics")))
            .expect(201)
            .json();
    Rest prometheus = new Rest(service.url(), (String) token.get("token"));

    assertThat(prometheus.get("/metrics").expect(200).text())
        .contains(
            "# TYPE fdt_service_tasks gauge",
            "fdt_service_tasks{state=\"queued\"} 0\n",
            "fdt_service_queue_age_seconds 0\n",
            "fdt_service_build_info{version=\"",
            "fdt_service_database_up 1\n",
            "fdt_service_database_failures_total 0\n",
            "fdt_service_attempts_total{source=\"a\",destination=\"b\"} 1\n",
            "fdt_service_tasks_ended_total{source=\"a\",destination=\"b\",state=\"succeeded\"} 1\n",
            "fdt_service_bytes_total{source=\"a\",destination=\"b\"} 1000\n");
    prometheus.get("/api/v1/tasks").expect(403);
    rest.send("DELETE", "/api/v1/tokens/" + token.get("token_id"), null).expect(204);
    prometheus.get("/metrics").expect(401);
  }

  @Test
  void theDashboardShowsFiguresThatThereAre() throws Exception {
    String text = rest.get("/metrics").expect(200).text();
    String dashboard = Files.readString(Path.of("../dist/grafana.json"));
    List<String> names =
        Pattern.compile("fdt_service_[a-z_]+")
            .matcher(dashboard)
            .results()
            .map(MatchResult::group)
            .distinct()
            .toList();
    assertThat(names).hasSizeGreaterThan(8);
    for (String name : names) {
      assertThat(text).contains("# TYPE " + name + " ");
    }
  }

  /** A task that waits is seen by its age. */
  @Test
  void theAgeOfTheQueueIsThatOfItsOldestTask() throws Exception {
    Map<String, Object> late = Site.transfer();
    Object task = rest.post("/api/v1/tasks", late).expect(201).json().get("task_id");
    rest.end(task);
    site.sql(
        "UPDATE task SET state = 'QUEUED', ended = 0, not_before = 99999999999999, created ="
            + " CAST(unixepoch('subsec') * 1000 AS INTEGER) - 3600000");
    assertThat(rest.get("/metrics").expect(200).text())
        .contains("fdt_service_tasks{state=\"queued\"} 1\n")
        .containsPattern("(?m)^fdt_service_queue_age_seconds 36[0-9][0-9]$");
  }

  @Test
  void figuresByLinkEndpointAndTask() throws Exception {
    site.write("run/large", 16 * Site.MIB, 2);
    Map<String, Object> slow = Site.slow();
    slow.put("limit", 100_000L);
    Object task = rest.post("/api/v1/tasks", slow).expect(201).json().get("task_id");
    String labels = "{task=\"" + task + "\",source=\"a\",destination=\"b\"} ";
    await("bytes of the task")
        .atMost(DEADLINE)
        .until(
            () ->
                Pattern.compile("(?m)^fdt_service_task_bytes" + Pattern.quote(labels) + "[1-9]")
                    .matcher(rest.get("/metrics").expect(200).text())
                    .find());
    assertThat(rest.get("/metrics").expect(200).text())
        .contains(
            "fdt_service_endpoint_tasks_running{user=\"tester\",endpoint=\"a\"} 1\n",
            "fdt_service_endpoint_tasks_running{user=\"tester\",endpoint=\"b\"} 1\n",
            "fdt_service_task_faults" + labels + "0\n");
    await("what was learnt of the link")
        .atMost(DEADLINE)
        .until(
            () ->
                rest.get("/metrics")
                    .text()
                    .contains("fdt_service_link_tasks_most{source=\"a\",destination=\"b\"} 4\n"));
    rest.post("/api/v1/tasks/" + task + "/cancel", Map.of()).expect(200);
    rest.end(task);
    assertThat(rest.get("/metrics").text())
        .doesNotContain(task.toString())
        .doesNotContain("fdt_service_endpoint_tasks_running{");
  }

  /** Jetty refuses these itself, before there is a route. */
  @Test
  void whatIsNoRequestIsAProblemToo() throws Exception {
    Rest.Answer path = rest.get("/api/v1/tasks/..%2Fendpoints").expect(400);
    assertThat(path.json()).containsEntry("type", "urn:fdt:problem:invalid");
    Rest.Answer headers =
        rest.send("GET", "/api/v1/tasks", null, "X", "x".repeat(17 << 10)).expect(431);
    assertThat((String) headers.json().get("detail")).contains("16384 bytes");
    for (Rest.Answer answer : List.of(path, headers)) {
      assertThat(answer.response().headers().map())
          .containsEntry("Content-Type", List.of("application/problem+json"))
          .containsEntry("X-Frame-Options", List.of("DENY"));
    }
  }

  @Test
  void aPortThatIsTakenIsNamed() throws Exception {
    String port = service.url().replaceFirst(".*:([0-9]+)/", "$1");
    ServiceOptions options =
        ServiceOptions.parse(List.of("--port", port), Map.of(), root.resolve("other"));
    assertThatThrownBy(() -> TransferService.start(options, "tester", root))
        .hasMessageContaining("127.0.0.1:" + port + ": the port is in use; choose another");
  }

  @Test
  void theTokenOfAnEndpointIsReplaced() throws Exception {
    String path = "/api/v1/endpoints/b";
    String etag = rest.get(path).etag();
    String token = site.token("b", "new");
    rest.send("PATCH", path, Map.of("token", token)).expect(428);
    rest.send("PATCH", path, Map.of("token", token), "If-Match", "\"7\"").expect(412);
    rest.send("PATCH", path, Map.of("token", "fdt_wrong"), "If-Match", etag).expect(422);
    rest.send("PATCH", path, Map.of("token", ""), "If-Match", etag).expect(422);
    rest.send("PATCH", path, Map.of("name", "c"), "If-Match", etag).expect(400);
    assertThat(rest.get(path).etag()).isEqualTo(etag);
    rest.send("PATCH", "/api/v1/endpoints/local", Map.of("token", token), "If-Match", "*")
        .expect(400);

    // Its server looks for new tokens twice a second, and refuses this one before.
    Map<String, Object> change = Map.of("token", token, "max_tasks", 2L);
    Map<String, Object> changed =
        await("the token is known")
            .atMost(DEADLINE)
            .until(
                () -> rest.send("PATCH", path, change, "If-Match", etag),
                answer -> answer.status() != 422)
            .expect(200)
            .json();
    assertThat(changed)
        .containsEntry("token_from", "stored")
        .containsEntry("max_tasks", 2L)
        .containsEntry("default_path", "/inc");
    rest.send("PATCH", path, Map.of("max_tasks", 3L), "If-Match", etag).expect(412);
    rest.end(rest.post("/api/v1/tasks", Site.transfer()).expect(201).json().get("task_id"));
    assertThat(site.incoming.resolve("run/file")).exists();
    // The new one is in use: without it the endpoint lets nobody in.
    NamedTokens.ofHome(root.resolve("b")).revoke("new");
    await("the end of the new one")
        .atMost(DEADLINE)
        .until(() -> rest.post(path + "/check", Map.of()).status() == 422);
    assertThat(rest.get(path).json()).as("it answers").containsEntry("state", "refused");
  }

  @Test
  void endpointsAreWatched() throws Exception {
    assertThat(rest.get("/api/v1/endpoints/b").json()).containsEntry("state", "reachable");
    service.close();
    int port = site.stopDestination();
    service = site.service();
    rest = site.rest(service.url());
    await("b is seen to be away")
        .atMost(DEADLINE)
        .until(() -> rest.get("/api/v1/endpoints/b").json().get("state").equals("unreachable"));
    assertThat((String) rest.get("/api/v1/endpoints/b").json().get("problem"))
        .contains("127.0.0.1");
    assertThat(rest.get("/api/v1/endpoints/a").json()).containsEntry("state", "reachable");
    assertThat(rest.get("/api/v1/endpoints/local").json()).containsEntry("state", "reachable");
    assertThat(rest.get("/metrics").text())
        .contains(
            "fdt_service_endpoint_reachable{user=\"tester\",endpoint=\"a\"} 1\n",
            "fdt_service_endpoint_reachable{user=\"tester\",endpoint=\"b\"} 0\n");

    site.startDestination(port);
    rest.post("/api/v1/endpoints/b/check", null).expect(200);
    assertThat(rest.get("/api/v1/endpoints/b").json())
        .containsEntry("state", "reachable")
        .doesNotContainKey("problem");
    site.stopDestination();
    rest.post("/api/v1/endpoints/b/check", null).expect(422);
    assertThat(rest.get("/api/v1/endpoints/b").json()).containsEntry("state", "unreachable");
  }

  @Test
  void anEndpointInUseStaysAndOneThatIsNotGoes() throws Exception {
    Map<String, Object> slow = Site.slow();
    slow.put("limit", 1L);
    Object task = rest.post("/api/v1/tasks", slow).expect(201).json().get("task_id");
    String path = "/api/v1/endpoints/a";
    rest.send("DELETE", path, null).expect(428);
    rest.send("DELETE", path, null, "If-Match", "\"7\"").expect(409);
    rest.post("/api/v1/tasks/" + task + "/cancel", null).expect(200);
    rest.end(task);

    rest.send("DELETE", path, null, "If-Match", "\"7\"").expect(412);
    rest.send("DELETE", path, null, "If-Match", rest.get(path).etag()).expect(204);
    rest.get(path).expect(404);
  }

  @Test
  void aSecondServiceOfAHomeIsRefused() {
    assertThatThrownBy(site::service)
        .isInstanceOf(FdtException.class)
        .hasMessageContaining("another fdt service uses");
  }

  @Test
  void healthIsForEverybodyAndSaysNothingElse() throws Exception {
    assertThat(new Rest(service.url(), "").get("/healthz").expect(200).text())
        .isEqualTo("{\"status\":\"up\"}");
  }

  @Test
  void anAddressThatIsNoneIsRefusedAndAWildcardIsReachedOnLoopback() throws Exception {
    assertThatThrownBy(
            () ->
                ServiceOptions.parse(
                    List.of("--listen", "everywhere"), Map.of(), root.resolve("other")))
        .hasMessageContaining("--listen: 'everywhere' is no address; write 0.0.0.0");
    ServiceOptions options =
        ServiceOptions.parse(
            List.of("--port", "0"), Map.of("FDT_SERVICE_LISTEN", "0.0.0.0"), root.resolve("other"));
    try (TransferService other = TransferService.start(options, "tester", root)) {
      assertThat(other.url()).startsWith("http://127.0.0.1:");
      new Rest(other.url(), "").get("/healthz").expect(200);
    }
  }
}
