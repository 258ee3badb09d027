package io.fdt.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fdt.json.Json;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Sign-in by a real Keycloak, which "make test-keycloak" fetches; left out without it. */
@Timeout(300)
class KeycloakTest {
  private static final String SECRET = "a-secret-of-the-client-0123456789";
  private static final Pattern FORM = Pattern.compile("action=\"([^\"]+)\"");

  @TempDir private Path root;
  private Process keycloak;

  @AfterEach
  void end() throws Exception {
    if (keycloak != null) {
      keycloak.descendants().forEach(ProcessHandle::destroyForcibly);
      keycloak.destroyForcibly().waitFor(30, TimeUnit.SECONDS);
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private static Map<String, Object> user(String name, List<String> groups) {
    return Map.of(
        "username",
        name,
        "enabled",
        true,
        "email",
        name + "@lab.example",
        "emailVerified",
        true,
        "firstName",
        name,
        "lastName",
        "Test",
        "credentials",
        List.of(Map.of("type", "password", "value", "password-of-" + name)),
        "groups",
        groups);
  }

  private static String realm(String back) {
    Map<String, Object> mapper =
        Map.of(
            "name",
            "groups",
            "protocol",
            "openid-connect",
            "protocolMapper",
            "oidc-group-membership-mapper",
            "config",
            Map.of("full.path", "false", "id.token.claim", "true", "claim.name", "groups"));
    Map<String, Object> client =
        Map.of(
            "clientId",
            "fdt",
            "secret",
            SECRET,
            "publicClient",
            false,
            "standardFlowEnabled",
            true,
            "redirectUris",
            List.of(back),
            "attributes",
            Map.of("pkce.code.challenge.method", "S256"),
            "protocolMappers",
            List.of(mapper));
    return Json.text(
        Map.of(
            "realm",
            "lab",
            "enabled",
            true,
            "sslRequired",
            "none",
            "groups",
            List.of(Map.of("name", "fdt-admins")),
            "users",
            List.of(user("alice", List.of("/fdt-admins")), user("bob", List.of())),
            "clients",
            List.of(client)));
  }

  private void startKeycloak(Path home, int port, String realm) throws Exception {
    Path own = root.resolve("keycloak");
    Process copy =
        new ProcessBuilder("cp", "-r", home.toString(), own.toString()).inheritIO().start();
    assertThat(copy.waitFor()).isZero();
    Path imports = Files.createDirectories(own.resolve("data/import"));
    Files.writeString(imports.resolve("lab-realm.json"), realm);
    Path output = root.resolve("keycloak.out");
    keycloak =
        new ProcessBuilder(
                own.resolve("bin/kc.sh").toString(),
                "start-dev",
                "--http-host=127.0.0.1",
                "--http-port=" + port,
                "--import-realm")
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    HttpClient http = HttpClient.newHttpClient();
    HttpRequest ask =
        HttpRequest.newBuilder(
                URI.create(
                    "http://127.0.0.1:" + port + "/realms/lab/.well-known/openid-configuration"))
            .timeout(Duration.ofSeconds(10))
            .build();
    await("Keycloak")
        .atMost(Duration.ofSeconds(200))
        .pollInterval(Duration.ofMillis(500))
        .ignoreExceptionsInstanceOf(IOException.class)
        .until(
            () -> {
              assertThat(keycloak.isAlive()).as(() -> read(output)).isTrue();
              return http.send(ask, HttpResponse.BodyHandlers.ofString()).statusCode() == 200;
            });
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      return e.toString();
    }
  }

  /** A browser with cookies for each server. */
  private static final class Visitor {
    private final HttpClient http = HttpClient.newHttpClient();
    private final Map<Integer, Map<String, String>> cookies = new LinkedHashMap<>();

    HttpResponse<String> send(URI uri, String form) throws Exception {
      Map<String, String> own =
          cookies.computeIfAbsent(uri.getPort(), any -> new LinkedHashMap<>());
      HttpRequest.Builder request = HttpRequest.newBuilder(uri).timeout(Duration.ofSeconds(60));
      if (!own.isEmpty()) {
        request.header(
            "Cookie",
            own.entrySet().stream()
                .map(one -> one.getKey() + "=" + one.getValue())
                .collect(Collectors.joining("; ")));
      }
      if (form != null) {
        request
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(HttpRequest.BodyPublishers.ofString(form));
      }
      HttpResponse<String> response =
          http.send(request.build(), HttpResponse.BodyHandlers.ofString());
      for (String set : response.headers().allValues("Set-Cookie")) {
        String[] pair = set.replaceFirst(";.*", "").split("=", 2);
        own.put(pair[0], pair[1]);
      }
      return response;
    }

    /** Follows redirects until there is a page. */
    HttpResponse<String> follow(URI uri, String form) throws Exception {
      URI at = uri;
      HttpResponse<String> response = send(at, form);
      for (int i = 0; i < 10 && response.headers().firstValue("Location").isPresent(); i++) {
        at = at.resolve(response.headers().firstValue("Location").get());
        response = send(at, null);
      }
      return response;
    }
  }

  private static Visitor signIn(String service, String name, String password) throws Exception {
    Visitor visitor = new Visitor();
    HttpResponse<String> page = visitor.follow(URI.create(service + "api/v1/oidc/login"), null);
    assertThat(page.statusCode()).as(page.body()).isEqualTo(200);
    Matcher action = FORM.matcher(page.body());
    assertThat(action.find()).as(page.body()).isTrue();
    String form =
        "username="
            + name
            + "&password="
            + URLEncoder.encode(password, StandardCharsets.UTF_8)
            + "&credentialId=";
    HttpResponse<String> end =
        visitor.follow(URI.create(action.group(1).replace("&amp;", "&")), form);
    assertThat(end.statusCode()).as(end.body()).isEqualTo(200);
    return visitor;
  }

  @Test
  void usersOfKeycloakSignInWithTheirGroups() throws Exception {
    String home = System.getProperty("fdt.keycloak.home", "");
    assumeTrue(!home.isEmpty(), "Keycloak was not fetched: make test-keycloak");
    int port = freePort();
    String issuer = "http://127.0.0.1:" + port + "/realms/lab";
    Path secret = Files.writeString(root.resolve("secret"), SECRET);
    ServiceOptions options =
        ServiceOptions.parse(
            List.of(
                "--port",
                "0",
                "--oidc-issuer",
                issuer,
                "--oidc-client",
                "fdt",
                "--oidc-secret-file",
                secret.toString(),
                "--oidc-admin-group",
                "fdt-admins"),
            Map.of(),
            root.resolve("fdt"));
    try (TransferService service = TransferService.start(options, "tester", root)) {
      startKeycloak(Path.of(home), port, realm(service.url() + "api/v1/oidc/callback"));

      Visitor alice = signIn(service.url(), "alice", "password-of-alice");
      URI session = URI.create(service.url() + "api/v1/session");
      URI users = URI.create(service.url() + "api/v1/users");
      assertThat(alice.send(session, null).body()).contains("\"user\":\"alice\"");
      assertThat(alice.send(users, null).statusCode()).isEqualTo(200);
      Visitor bob = signIn(service.url(), "bob", "password-of-bob");
      assertThat(bob.send(session, null).body()).contains("\"user\":\"bob\"");
      assertThat(bob.send(users, null).statusCode()).isEqualTo(403);
      assertThat(bob.send(URI.create(service.url() + "api/v1/oidc/logout"), null).body())
          .contains(issuer + "/protocol/openid-connect/logout");

      Visitor stranger = signIn(service.url(), "bob", "wrong");
      assertThat(stranger.send(session, null).statusCode()).isEqualTo(401);
    }
  }
}
