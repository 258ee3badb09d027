package io.fdt.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fdt.server.Export;
import io.fdt.server.FdtServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What users of the service may do to each other, to its machine, and to the service itself. */
@Timeout(120)
class RightsTest {
  private static final Duration DEADLINE = Duration.ofSeconds(60);

  @TempDir private Path root;
  private Site site;
  private TransferService service;
  private Rest admin;

  @BeforeEach
  void start() throws Exception {
    site = new Site(root);
    site.write("run/large", 16 * Site.MIB, 1);
    service = site.service();
    admin = site.rest(service.url());
  }

  @AfterEach
  void end() throws Exception {
    site.close();
  }

  private String tokenOf(Rest maker, String name, String... scopes) throws Exception {
    Map<String, Object> body = Map.of("label", name, "user", name, "scopes", List.of(scopes));
    return (String) maker.post("/api/v1/tokens", body).expect(201).json().get("token");
  }

  private Rest user(String name, String... scopes) throws Exception {
    return new Rest(service.url(), tokenOf(admin, name, scopes));
  }

  private static int bodies(Rest rest, Map<String, Object> body) throws Exception {
    return rest.post("/api/v1/tokens", body).status();
  }

  @Test
  void nobodyIsAUserWithoutAName() throws Exception {
    for (String name : List.of("", " ", "a b", "../x", "\u202ea")) {
      assertThat(bodies(admin, Map.of("label", "x", "user", name, "scopes", List.of("tasks"))))
          .as(name)
          .isEqualTo(400);
    }
  }

  @Test
  void usersMakeSeeAndRevokeTheirOwnTokensOnly() throws Exception {
    Rest alice = user("alice", "read", "tokens");
    Rest bob = user("bob", "read", "tokens");
    String ofAlice =
        (String)
            alice
                .post("/api/v1/tokens", Map.of("label", "hers", "scopes", List.of("read")))
                .expect(201)
                .json()
                .get("token_id");

    assertThat(bodies(bob, Map.of("label", "x", "user", "tester", "scopes", List.of("read"))))
        .isEqualTo(403);
    assertThat(bodies(bob, Map.of("label", "x", "user", "alice", "scopes", List.of("read"))))
        .isEqualTo(403);
    assertThat(bodies(bob, Map.of("label", "x", "scopes", List.of("tasks")))).isEqualTo(403);
    assertThat(bob.get("/api/v1/tokens").expect(200).text()).doesNotContain(ofAlice, "alice");
    bob.send("DELETE", "/api/v1/tokens/" + ofAlice, null).expect(404);
    assertThat(admin.get("/api/v1/tokens").expect(200).text()).contains(ofAlice);
    alice.send("DELETE", "/api/v1/tokens/" + ofAlice, null).expect(204);
  }

  @Test
  void aLinkGivesNoMoreThanTheTokenThatMadeIt() throws Exception {
    Rest narrow = user("tester", "tokens");
    String path = (String) narrow.post("/api/v1/links", null).expect(201).json().get("path");
    Rest.Answer answer =
        new Rest(service.url(), "")
            .send(
                "POST",
                "/api/v1/session",
                Map.of("link", path.replaceFirst(".*=", "")),
                "X-FDT-Page",
                "1")
            .expect(200);
    assertThat(answer.json()).containsEntry("scopes", List.of("tokens"));
    String cookie =
        answer.response().headers().firstValue("Set-Cookie").orElseThrow().replaceFirst(";.*", "");
    new Rest(service.url(), "").send("GET", "/api/v1/tasks", null, "Cookie", cookie).expect(403);
  }

  @Test
  void aRoleBoundsAllTokensOfAUserAtOnce() throws Exception {
    Rest alice = user("alice", "read", "tasks", "tokens", "metrics", "admin");
    alice.get("/api/v1/tasks").expect(200);
    alice.get("/metrics").expect(403);
    alice.get("/api/v1/users").expect(403);
    alice.send("PUT", "/api/v1/users/alice", Map.of("role", "admin")).expect(403);

    admin.send("PUT", "/api/v1/users/alice", Map.of("role", "reader")).expect(200);
    alice.get("/api/v1/tasks").expect(200);
    alice.get("/api/v1/tokens").expect(403);
    alice.post("/api/v1/tasks", Site.transfer()).expect(403);

    admin.send("PUT", "/api/v1/users/alice", Map.of("role", "admin")).expect(200);
    alice.get("/metrics").expect(200);
    assertThat(alice.get("/api/v1/users").expect(200).text()).contains("\"role\":\"admin\"");
    alice.get("/api/v1/endpoints/local/files").expect(404); // no machine: she did not start it
    admin.send("PUT", "/api/v1/users/alice", Map.of("role", "king")).expect(400);
    admin.send("PUT", "/api/v1/users/tester", Map.of("role", "reader")).expect(400);
    String token =
        (String)
            admin
                .post("/api/v1/tokens", Map.of("label", "x", "user", "carol", "role", "reader"))
                .expect(201)
                .json()
                .get("token");
    Rest carol = new Rest(service.url(), token);
    carol.get("/api/v1/tasks").expect(200);
    carol.post("/api/v1/tasks", Site.transfer()).expect(403);
  }

  /** Each route with somebody else's things in it. */
  @Test
  void nothingOfOneUserIsWithinReachOfAnother() throws Exception {
    site.addEndpoints(admin);
    Map<String, Object> slow = Site.slow(1 << 18);
    Object task = admin.post("/api/v1/tasks", slow).expect(201).json().get("task_id");
    admin
        .post(
            "/api/v1/timers",
            Map.of(
                "name",
                "nightly",
                "interval",
                86400L,
                "start",
                "2999-01-01T00:00:00Z",
                "task",
                Site.transfer()))
        .expect(201);
    Object hook =
        admin
            .post("/api/v1/webhooks", Map.of("url", "http://127.0.0.1:9/x"))
            .expect(201)
            .json()
            .get("webhook_id");
    Rest bob = user("bob", "read", "tasks", "endpoints", "tokens");
    String path = "/api/v1/tasks/" + task;

    for (String change : List.of("cancel", "pause", "resume")) {
      bob.post(path + "/" + change, null).expect(404);
    }
    bob.send("PATCH", path, Map.of("label", "mine"), "If-Match", "*").expect(404);
    bob.get(path).expect(404);
    bob.get(path + "?wait=1").expect(404);
    bob.get(path + "/events").expect(404);
    bob.send("DELETE", "/api/v1/endpoints/a", null, "If-Match", "*").expect(404);
    bob.post("/api/v1/endpoints/a/check", null).expect(404);
    bob.post("/api/v1/endpoints/b/directories", Map.of("path", "/inc/x")).expect(404);
    bob.post("/api/v1/endpoints/b/renames", Map.of("from", "/inc/x", "to", "/inc/y")).expect(404);
    Map<String, Object> stolen = Site.transfer();
    stolen.put("source_endpoint", "local");
    bob.post("/api/v1/tasks", stolen).expect(404);
    bob.get("/api/v1/timers/nightly").expect(404);
    bob.send("DELETE", "/api/v1/timers/nightly", null).expect(404);
    bob.send("DELETE", "/api/v1/webhooks/" + hook, null).expect(404);
    for (String list : List.of("tasks", "endpoints", "timers", "webhooks")) {
      assertThat(bob.get("/api/v1/" + list).expect(200).text()).isEqualTo("{\"" + list + "\":[]}");
    }
    bob.get("/api/v1/audit").expect(403);
    bob.get("/api/v1/users").expect(403);
    assertThat(admin.task(task).get("state")).isIn("queued", "active");
    admin.post(path + "/cancel", null).expect(200);
    admin.end(task);
  }

  /** Only the one who has started the service reaches programs of its machine through it. */
  @Test
  void aServerOfTheSameHomeTakesNoTokenOfItFromAnotherUser() throws Exception {
    service.close();
    ServiceOptions options =
        ServiceOptions.parse(
            List.of("--port", "0", "--dial-to", "127.0.0.1/32"), Map.of(), root.resolve("fdt"));
    try (FdtServer own =
            FdtServer.builder()
                .export(Export.readOnly("data", site.data))
                .bind("127.0.0.1")
                .port(0)
                .trustOwnProcess(false)
                .home(root.resolve("fdt"))
                .build();
        TransferService open = TransferService.start(options, "tester", root)) {
      own.start();
      service = open;
      admin = site.rest(open.url());
      Map<String, Object> endpoint = Site.endpoint("own", own);
      endpoint.remove("token");
      admin.post("/api/v1/endpoints", endpoint).expect(201);
      admin.get("/api/v1/endpoints/own/files?path=%2Fdata").expect(200);

      Rest bob = user("bob", "read", "tasks", "endpoints");
      assertThat(bob.post("/api/v1/endpoints", endpoint).expect(422).text()).contains("token");
      bob.get("/api/v1/endpoints/own/files?path=%2Fdata").expect(404);
    }
  }

  @Test
  void theMachineOfTheServiceIsOutOfReach() throws Exception {
    Rest bob = user("bob", "read", "tasks", "endpoints");
    for (String host : List.of("127.0.0.1", "localhost", "[::1]", "[64:ff9b::7f00:1]")) {
      bob.post("/api/v1/webhooks", Map.of("url", "http://" + host + ":80/")).expect(422);
      Map<String, Object> endpoint = new LinkedHashMap<>(Site.endpoint("x", site.source()));
      endpoint.put("address", host + ":" + site.source().address().getPort());
      bob.post("/api/v1/endpoints", endpoint).expect(422);
    }
    for (String host :
        List.of(
            "169.254.169.254",
            "[::ffff:169.254.169.254]",
            "[64:ff9b::a9fe:a9fe]",
            "[2002:a9fe:a9fe::]",
            "[::169.254.169.254]",
            "[fd00:ec2::254]",
            "100.100.100.200")) {
      assertThat(admin.post("/api/v1/webhooks", Map.of("url", "http://" + host + "/")).text())
          .as(host)
          .contains("address-not-allowed");
    }
  }

  @Test
  void aDeletionNamesWhatItRemoves() throws Exception {
    Path home = Files.createDirectories(root.resolve("precious"));
    Files.writeString(home.resolve("file"), "x");
    for (String path : List.of("", "~", "~/", ".", "/", "//", "/.", "/./", "/./.", "./")) {
      Map<String, Object> delete =
          Map.of(
              "kind",
              "delete",
              "source_endpoint",
              "local",
              "source_paths",
              List.of(path),
              "options",
              Map.of("recursive", true));
      assertThat(admin.post("/api/v1/tasks", delete).status()).as(path).isEqualTo(400);
    }
    assertThat(home.resolve("file")).exists();
  }

  @Test
  void textsThatNoDatabaseStoresAreRefused() throws Exception {
    site.addEndpoints(admin);
    String body = "{\"source_endpoint\":\"a\",\"source_paths\":[\"/data\"],\"label\":\"%s\"}";
    admin.post("/api/v1/tasks", body.formatted("\\ud800")).expect(400);
    admin.post("/api/v1/tasks", body.formatted("\\u0000")).expect(400);
    // 0:<NUL>
    admin.get("/api/v1/tasks?cursor=MDoA").expect(400);
    admin.get("/api/v1/tasks?cursor=x").expect(400);
  }

  @Test
  void aPageOnAnotherPortIsAPageOfSomebodyElse() throws Exception {
    String link = service.signInLink().replaceFirst(".*=", "");
    Rest stranger = new Rest(service.url(), "");
    stranger
        .send(
            "POST",
            "/api/v1/session",
            Map.of("link", link),
            "X-FDT-Page",
            "1",
            "Origin",
            "http://127.0.0.1:1")
        .expect(403);
    Rest.Answer answer =
        stranger
            .send(
                "POST",
                "/api/v1/session",
                Map.of("link", link),
                "X-FDT-Page",
                "1",
                "Origin",
                service.url().replaceFirst("/$", "").replace("http:", "https:"))
            .expect(200);
    assertThat(answer.response().headers().firstValue("Set-Cookie").orElseThrow())
        .contains("; Secure");
  }

  @Test
  void changesAreWrittenDownWithWhoAndWhatCameOfIt() throws Exception {
    site.addEndpoints(admin);
    Rest bob = user("bob", "read", "tasks");
    bob.post("/api/v1/tasks", Site.transfer()).expect(404);
    Object task = admin.post("/api/v1/tasks", Site.transfer()).expect(201).json().get("task_id");
    admin
        .send(
            "POST",
            "/api/v1/tasks/" + task + "/cancel",
            null,
            "X-Forwarded-For",
            "198.51.100.9, 203.0.113.7")
        .expect(200);

    Map<String, Object> page = admin.get("/api/v1/audit?limit=3").expect(200).json();
    List<?> entries = (List<?>) page.get("entries");
    assertThat((Map<?, ?>) entries.get(0))
        .satisfies(
            entry -> {
              assertThat(entry.get("user")).isEqualTo("tester");
              assertThat((String) entry.get("change"))
                  .isEqualTo("cancelled %.8s: a \u2192 b", task);
              assertThat(entry.get("action")).isEqualTo("POST /api/v1/tasks/{task}/cancel");
              assertThat(entry.get("target")).isEqualTo("/api/v1/tasks/" + task + "/cancel");
              assertThat(entry.get("status")).isEqualTo(200L);
              assertThat((String) entry.get("address")).isEqualTo("203.0.113.7 by 127.0.0.1");
            });
    assertThat(((Map<?, ?>) entries.get(1)).get("detail")).isEqualTo("/api/v1/tasks/" + task);
    assertThat(((Map<?, ?>) entries.get(2)).get("user")).isEqualTo("bob");
    assertThat(((Map<?, ?>) entries.get(2)).get("status")).isEqualTo(404L);
    assertThat((String) ((Map<?, ?>) entries.get(2)).get("change")).startsWith("refused: ");
    String all = admin.get("/api/v1/audit?limit=1000").expect(200).text();
    assertThat(all).doesNotContain("fdts_", site.source().localToken());
    assertThat(admin.get("/api/v1/audit?user=bob").expect(200).text()).doesNotContain("tester");
    Map<String, Object> next =
        admin.get("/api/v1/audit?limit=3&cursor=" + page.get("next_cursor")).expect(200).json();
    assertThat((List<?>) next.get("entries")).isNotEmpty().noneMatch(entries::contains);
    admin.end(task);
  }

  /** Each waiting request holds a thread. */
  @Test
  void oneUserDoesNotKeepTheServiceFromOthers() throws Exception {
    site.addEndpoints(admin);
    Map<String, Object> slow = Site.transfer();
    slow.put("limit", 1L << 18);
    Object task = admin.post("/api/v1/tasks", slow).expect(201).json().get("task_id");
    Rest bob = user("bob", "read");
    List<CompletableFuture<Integer>> waits = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      waits.add(
          CompletableFuture.supplyAsync(
              () -> status(admin, "/api/v1/tasks/" + task + "?wait=60"),
              task2 -> {
                Thread thread = new Thread(task2);
                thread.setDaemon(true);
                thread.start();
              }));
    }
    await("those that are too many")
        .atMost(DEADLINE)
        .until(() -> waits.stream().filter(CompletableFuture::isDone).count() == 60 - 32);
    assertThat(waits.stream().filter(CompletableFuture::isDone).map(CompletableFuture::join))
        .containsOnly(429);
    bob.get("/api/v1/tasks").expect(200);
    service.close();
  }

  private static int status(Rest rest, String path) {
    try {
      Rest.Answer answer = rest.get(path);
      assertThat(answer.response().headers().firstValue("Retry-After")).contains("1");
      return answer.status();
    } catch (IOException | InterruptedException e) {
      return 0; // the service has ended
    }
  }

  @Test
  void newsEndWithTheTokenAndAreForAFewClientsOfEachUser() throws Exception {
    String token = tokenOf(admin, "bob", "read");
    List<Socket> streams = new ArrayList<>();
    try {
      for (int i = 0; i < 8; i++) {
        streams.add(stream(token));
        assertThat(firstLine(streams.get(i))).contains("200");
      }
      try (Socket ninth = stream(token)) {
        assertThat(firstLine(ninth)).contains("429");
      }
      String id =
          (String)
              ((Map<?, ?>)
                      ((List<?>) admin.get("/api/v1/tokens").json().get("tokens"))
                          .stream()
                              .filter(one -> "bob".equals(((Map<?, ?>) one).get("user")))
                              .findFirst()
                              .orElseThrow())
                  .get("token_id");
      admin.send("DELETE", "/api/v1/tokens/" + id, null).expect(204);
      for (Socket stream : streams) {
        stream.setSoTimeout(30_000);
        stream.getInputStream().readAllBytes(); // ends
      }
    } finally {
      for (Socket stream : streams) {
        stream.close();
      }
    }
  }

  private Socket stream(String token) throws IOException {
    URI uri = URI.create(service.url());
    Socket socket = new Socket(uri.getHost(), uri.getPort());
    OutputStream out = socket.getOutputStream();
    out.write(
        ("GET /api/v1/live HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
                + token
                + "\r\nConnection: close\r\n\r\n")
            .getBytes(StandardCharsets.ISO_8859_1));
    out.flush();
    return socket;
  }

  private static String firstLine(Socket socket) throws IOException {
    return new BufferedReader(
            new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1))
        .readLine();
  }

  /** Whoever sends a body byte by byte is not waited for. */
  @Test
  void aBodyThatDoesNotArriveIsGivenUp() throws Exception {
    URI uri = URI.create(service.url());
    try (Socket socket = new Socket(uri.getHost(), uri.getPort())) {
      socket.setSoTimeout(30_000);
      OutputStream out = socket.getOutputStream();
      out.write(
          ("POST /api/v1/session HTTP/1.1\r\nHost: localhost\r\nX-FDT-Page: 1\r\n"
                  + "Content-Length: 1000\r\n\r\n{")
              .getBytes(StandardCharsets.ISO_8859_1));
      out.flush();
      assertThat(firstLine(socket)).contains("408");
    }
  }
}
