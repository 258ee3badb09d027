package io.fdt.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fdt.json.Json;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What strangers, pages of others and users of the service try against it. */
@Timeout(120)
class AttackTest {
  @TempDir private Path root;
  private Site site;
  private TransferService service;
  private Rest rest;
  private Rest stranger;

  @BeforeEach
  void start() throws Exception {
    site = new Site(root);
    service = site.service();
    rest = site.rest(service.url());
    stranger = new Rest(service.url(), "");
  }

  @AfterEach
  void end() throws Exception {
    site.close();
  }

  private static final String PAGE = "X-FDT-Page";

  private Rest.Answer signIn(String link, String... headers) throws Exception {
    List<String> all = new ArrayList<>(List.of(PAGE, "1"));
    all.addAll(List.of(headers));
    return stranger.send(
        "POST",
        "/api/v1/session",
        Map.of("link", link.replaceFirst(".*#link=", "")),
        all.toArray(String[]::new));
  }

  private static String cookie(Rest.Answer answer) {
    return answer.response().headers().firstValue("Set-Cookie").orElseThrow();
  }

  private static String value(Rest.Answer answer) {
    return cookie(answer).replaceFirst(";.*", "");
  }

  @Test
  void strangersGetNothing() throws Exception {
    List<String> paths =
        List.of("tasks", "endpoints", "session", "tokens", "live", "endpoints/local/files");
    for (String path : paths) {
      stranger.get("/api/v1/" + path).expect(401);
      new Rest(service.url(), "fdts_wrong").get("/api/v1/" + path).expect(401);
      stranger.send("GET", "/api/v1/" + path, null, "Cookie", "fdt_session=x").expect(401);
    }
    stranger.post("/api/v1/tasks", Site.transfer()).expect(401);
    stranger.get("/api/openapi.json").expect(200);
  }

  @Test
  void aLinkSignsInOnceAndTheCookieIsOutOfReachOfScripts() throws Exception {
    String link = service.signInLink();
    Rest.Answer answer = signIn(link).expect(200);

    assertThat(cookie(answer)).contains("HttpOnly", "SameSite=Strict", "Path=/");
    stranger.send("GET", "/api/v1/tasks", null, "Cookie", value(answer)).expect(200);
    signIn(link).expect(401);
    stranger
        .send("DELETE", "/api/v1/session", null, "Cookie", value(answer), PAGE, "1")
        .expect(204);
    stranger.send("GET", "/api/v1/tasks", null, "Cookie", value(answer)).expect(401);
  }

  /** Session fixation: a value that somebody else has set never becomes one that is signed in. */
  @Test
  void theCookieIsAlwaysNew() throws Exception {
    String before = value(signIn(service.signInLink()).expect(200));
    String after = value(signIn(service.signInLink(), "Cookie", before).expect(200));

    assertThat(after).isNotEqualTo(before);
    stranger.send("GET", "/api/v1/tasks", null, "Cookie", before).expect(401);
    String chosen = "fdt_session=chosen";
    assertThat(value(signIn(service.signInLink(), "Cookie", chosen).expect(200)))
        .isNotEqualTo(chosen);
    stranger.send("GET", "/api/v1/tasks", null, "Cookie", chosen).expect(401);
  }

  /** A page of somebody else has the browser send its cookie, but no header of its own. */
  @Test
  void pagesOfOthersChangeNothing() throws Exception {
    String cookie = value(signIn(service.signInLink()).expect(200));
    Map<String, Object> body = Map.of("label", "x", "scopes", List.of("read"));

    stranger.send("POST", "/api/v1/tokens", body, "Cookie", cookie).expect(403);
    stranger
        .send(
            "POST",
            "/api/v1/tokens",
            body,
            "Cookie",
            cookie,
            PAGE,
            "1",
            "Origin",
            "http://evil.example")
        .expect(403);
    stranger.send("POST", "/api/v1/session", Map.of("link", "x")).expect(403);
    stranger.send("POST", "/api/v1/tokens", body, "Cookie", cookie, PAGE, "1").expect(201);
  }

  /** A foreign name that points to this machine is no way in, cookie or not. */
  @Test
  void foreignHostNamesAreRefused() throws Exception {
    String token = site.commandToken();
    for (String host : List.of("evil.example", "evil.example:80", "127.0.0.1.evil.example", "")) {
      String answer =
          raw(
              "GET /api/v1/tasks HTTP/1.1\r\nHost: "
                  + host
                  + "\r\nAuthorization: Bearer "
                  + token
                  + "\r\nConnection: close\r\n\r\n");
      assertThat(answer).doesNotStartWith("HTTP/1.1 200").doesNotContain("\"tasks\"");
    }
  }

  private String raw(String request) throws IOException {
    URI uri = URI.create(service.url());
    try (Socket socket = new Socket(uri.getHost(), uri.getPort())) {
      socket.setSoTimeout(30_000);
      OutputStream out = socket.getOutputStream();
      out.write(request.getBytes(StandardCharsets.ISO_8859_1));
      out.flush();
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void noPathLeavesThePageAndNothingIsInline() throws Exception {
    for (String path :
        List.of(
            "/../service.db",
            "/%2e%2e/service.db",
            "/..%2fservice.db",
            "/page.css/../../db/V1__tasks.sql",
            "//etc/passwd",
            "/db/V1__tasks.sql",
            "/./index.html%00.js")) {
      String answer =
          raw("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
      assertThat(answer).as(path).startsWith("HTTP/1.1 4").doesNotContain("CREATE TABLE", "root:");
    }
    Rest.Answer page = stranger.get("/").expect(200);
    assertThat(page.response().headers().firstValue("Content-Security-Policy").orElseThrow())
        .contains(
            "default-src 'none'",
            "script-src 'self'",
            "frame-ancestors 'none'",
            "trusted-types lit-html")
        .doesNotContain("unsafe");
    assertThat(page.text())
        .doesNotContainPattern("<script(?![^>]*\\bsrc=)")
        .doesNotContainPattern("\\son[a-z]+=")
        .doesNotContain("style=", "http://", "https://");
  }

  @Test
  void pathsWithDotsAreRefused() throws Exception {
    site.addEndpoints(rest);
    Map<String, Object> task = Site.transfer();
    for (String path : List.of("/data/../../etc", "..", "a/..", "/data/..")) {
      task.put("source_paths", List.of(path));
      rest.post("/api/v1/tasks", task).expect(400);
      rest.get("/api/v1/endpoints/a/files?path=" + path.replace("/", "%2F")).expect(400);
    }
    rest.get("/api/v1/endpoints/a/files?path=%2Fetc").expect(404);
  }

  @Test
  void addressesOfTheOwnLinkAreRefused() throws Exception {
    for (String address :
        List.of("169.254.169.254", "[fe80::1]", "0.0.0.0", "224.0.0.1", "[::]", "[ff02::1]")) {
      Map<String, Object> endpoint = Site.endpoint("x", site.source());
      endpoint.put("address", address + ":80");
      assertThat(rest.post("/api/v1/endpoints", endpoint).expect(422).text()).contains("--dial-to");
    }
  }

  @Test
  void onlyTheRangesOfTheRuleAreDialled() throws Exception {
    service.close();
    ServiceOptions options =
        ServiceOptions.parse(
            List.of("--port", "0", "--dial-to", "10.0.0.0/8"), Map.of(), root.resolve("fdt"));
    try (TransferService strict = TransferService.start(options, "tester", root)) {
      assertThat(
              site.rest(strict.url())
                  .post("/api/v1/endpoints", Site.endpoint("x", site.source()))
                  .expect(422)
                  .text())
          .contains("127.0.0.1", "--dial-to");
    }
  }

  @Test
  void fieldsThatAreNotAClientsAreRefused() throws Exception {
    site.addEndpoints(rest);
    for (String field : List.of("owner", "state", "task_id", "session", "attempts", "version")) {
      Map<String, Object> task = Site.transfer();
      task.put(field, "x");
      assertThat(rest.post("/api/v1/tasks", task).expect(400).text()).contains(field);
    }
    Map<String, Object> endpoint = Site.endpoint("x", site.source());
    endpoint.put("owner", "other");
    rest.post("/api/v1/endpoints", endpoint).expect(400);
    Map<String, Object> options = Site.transfer();
    options.put("options", Map.of("recursive", true, "allow_privileged", true));
    rest.post("/api/v1/tasks", options).expect(400);
    rest.get("/api/v1/tasks?owner=other").expect(400);
    rest.post("/api/v1/tasks", "{\"source_endpoint\":\"a\",\"source_endpoint\":\"b\"}").expect(400);
    rest.post("/api/v1/tasks", "[".repeat(100_000)).expect(400);
    rest.post("/api/v1/tasks", "\"" + "x".repeat(2 << 20) + "\"").expect(413);
  }

  private Rest user(String name, String... scopes) throws Exception {
    Map<String, Object> token =
        Map.of("label", name, "user", name, "scopes", List.of(scopes), "days", 1L);
    return new Rest(
        service.url(), (String) rest.post("/api/v1/tokens", token).expect(201).json().get("token"));
  }

  @Test
  void scopesHold() throws Exception {
    site.addEndpoints(rest);
    Rest reader = user("tester", "read");

    reader.get("/api/v1/tasks").expect(200);
    reader.post("/api/v1/tasks", Site.transfer()).expect(403);
    reader.post("/api/v1/endpoints", Site.endpoint("x", site.source())).expect(403);
    reader.post("/api/v1/tokens", Map.of("label", "x", "scopes", List.of("tokens"))).expect(403);
    Rest maker = user("tester", "tokens");
    maker.post("/api/v1/tokens", Map.of("label", "x", "scopes", List.of("tasks"))).expect(403);
  }

  @Test
  void usersSeeNothingOfEachOtherAndNotTheMachine() throws Exception {
    site.addEndpoints(rest);
    Object task = rest.post("/api/v1/tasks", Site.transfer()).expect(201).json().get("task_id");
    Rest other = user("other", "read", "tasks", "endpoints");

    assertThat(other.get("/api/v1/tasks").expect(200).text()).doesNotContain("" + task);
    other.get("/api/v1/tasks/" + task).expect(404);
    other.get("/api/v1/tasks/" + task + "/events").expect(404);
    other.post("/api/v1/tasks/" + task + "/cancel", null).expect(404);
    other.get("/api/v1/endpoints/local/files").expect(404);
    other.get("/api/v1/endpoints/a").expect(404);
    assertThat(other.get("/api/v1/endpoints").expect(200).text()).doesNotContain("local");
    // A server of the same home would take the operator's token, which is not this user's.
    Map<String, Object> endpoint = new LinkedHashMap<>(Site.endpoint("x", site.source()));
    endpoint.remove("token");
    other.post("/api/v1/endpoints", endpoint).expect(422);
    rest.end(task);
  }

  @Test
  void secretsAreNowhereInTheClear() throws Exception {
    String secret = site.token("a", "alice");
    Map<String, Object> endpoint = Site.endpoint("a", site.source());
    endpoint.put("token", secret);
    await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> rest.post("/api/v1/endpoints", endpoint).status() == 201);
    String link = service.signInLink().replaceFirst(".*#link=", "");
    String cookie = value(signIn(link).expect(200)).replaceFirst(".*=", "");

    assertThat(rest.get("/api/v1/endpoints").text()).doesNotContain(secret);
    for (String one : List.of(secret, link, cookie)) {
      try (Stream<Path> files = Files.walk(root.resolve("fdt"))) {
        for (Path file : files.filter(Files::isRegularFile).toList()) {
          assertThat(Files.readString(file, StandardCharsets.ISO_8859_1))
              .as(file.toString())
              .doesNotContain(one);
        }
      }
    }
    for (String file : List.of("service.json", "service.db", "key")) {
      Path path = root.resolve("fdt/service").resolve(file);
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
          .isEqualTo("rw-------");
    }
  }

  @Test
  void tokensAndLinksAreNotInTheLog() throws Exception {
    service.close();
    try (ServiceProcess process = ServiceProcess.start(root)) {
      String token = site.commandToken();
      Rest client = new Rest(process.url(), token);
      Map<String, Object> endpoint = Site.endpoint("a", site.source());
      client.post("/api/v1/endpoints", endpoint).expect(201);
      client.get("/api/v1/endpoints/a/files").expect(200);
      new Rest(process.url(), "fdts_wrong").get("/api/v1/tasks").expect(401);
      process.stop();
      assertThat(process.output())
          .doesNotContain(token, (String) endpoint.get("token"), "fdts_wrong");
    }
  }

  @Test
  void namesOfFilesStayData() throws Exception {
    String name = "<img src=x onerror=alert(1)>\"'`${x}";
    Files.writeString(site.data.resolve(name), "x");
    rest.post("/api/v1/endpoints", Site.endpoint("a", site.source())).expect(201);

    Rest.Answer answer = rest.get("/api/v1/endpoints/a/files?path=%2Fdata").expect(200);
    assertThat(answer.response().headers().firstValue("Content-Type").orElseThrow())
        .isEqualTo("application/json");
    assertThat(answer.response().headers().firstValue("X-Content-Type-Options").orElseThrow())
        .isEqualTo("nosniff");
    Map<?, ?> file = (Map<?, ?>) ((List<?>) answer.json().get("files")).get(0);
    assertThat(file.get("name")).isEqualTo(name);
    assertThat(Json.text(file)).contains("onerror");
  }
}
