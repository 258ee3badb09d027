package io.fdt.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.error.FdtException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Sign-in by an identity provider, and what attackers try with it. */
@Timeout(60)
class OidcTest {
  @TempDir private Path root;
  private Site site;
  private TestIssuer issuer;
  private TransferService service;
  private Rest admin;

  @BeforeEach
  void start() throws Exception {
    site = new Site(root);
    issuer = new TestIssuer();
    service = TransferService.start(options(), "tester", root);
    admin = site.rest(service.url());
  }

  @AfterEach
  void end() throws Exception {
    service.close();
    issuer.close();
    site.close();
  }

  private ServiceOptions options(String... more) throws FdtException {
    List<String> all =
        new ArrayList<>(
            List.of(
                "--port",
                "0",
                "--oidc-issuer",
                issuer.url(),
                "--oidc-client",
                TestIssuer.CLIENT,
                "--oidc-secret-file",
                TestIssuer.secretFile(root.resolve("secret")),
                "--oidc-admin-group",
                "staff"));
    all.addAll(List.of(more));
    return ServiceOptions.parse(all, Map.of(), root.resolve("fdt"));
  }

  /** A browser: it follows where it is sent, and keeps cookies. */
  private final class Visitor {
    private final HttpClient http = HttpClient.newHttpClient();
    final Map<String, String> cookies = new LinkedHashMap<>();

    HttpResponse<String> get(String address) throws Exception {
      URI uri = URI.create(service.url()).resolve(address);
      boolean isOurs = uri.getPort() == URI.create(service.url()).getPort();
      HttpRequest.Builder request = HttpRequest.newBuilder(uri).timeout(Duration.ofSeconds(20));
      if (isOurs && !cookies.isEmpty()) {
        request.header(
            "Cookie",
            cookies.entrySet().stream()
                .map(one -> one.getKey() + "=" + one.getValue())
                .collect(Collectors.joining("; ")));
      }
      HttpResponse<String> response =
          http.send(request.build(), HttpResponse.BodyHandlers.ofString());
      if (isOurs) {
        for (String set : response.headers().allValues("Set-Cookie")) {
          assertThat(set).contains("HttpOnly", "SameSite", "Path=/");
          String[] pair = set.replaceFirst(";.*", "").split("=", 2);
          if (set.contains("Max-Age=0")) {
            cookies.remove(pair[0]);
          } else {
            cookies.put(pair[0], pair[1]);
          }
        }
      }
      return response;
    }

    /** To the provider; the result is the address with which it sends the browser back. */
    String there() throws Exception {
      HttpResponse<String> begun = get("/api/v1/oidc/login");
      assertThat(begun.statusCode()).as(begun.body()).isEqualTo(303);
      HttpResponse<String> signedIn = get(location(begun));
      assertThat(signedIn.statusCode()).isEqualTo(302);
      return location(signedIn);
    }

    HttpResponse<String> signIn() throws Exception {
      return get(there());
    }

    boolean isSignedIn() throws Exception {
      return get("/api/v1/session").statusCode() == 200;
    }
  }

  private static String location(HttpResponse<String> response) {
    return response.headers().firstValue("Location").orElseThrow();
  }

  private static long seconds(long fromNow) {
    return Instant.now().getEpochSecond() + fromNow;
  }

  private void assertRefused(String why) throws Exception {
    Visitor visitor = new Visitor();
    HttpResponse<String> answer = visitor.signIn();
    assertThat(answer.statusCode()).as(why).isIn(401, 403);
    assertThat(visitor.isSignedIn()).as(why).isFalse();
    assertThat(visitor.cookies).as(why).doesNotContainKey("fdt_session");
  }

  @Test
  void signInRoleAndSignOut() throws Exception {
    Visitor visitor = new Visitor();
    HttpResponse<String> done = visitor.signIn();
    assertThat(done.statusCode()).as(done.body()).isEqualTo(303);
    assertThat(location(done)).isEqualTo(service.url());
    assertThat(visitor.cookies).containsOnlyKeys("fdt_session");
    assertThat(visitor.get("/api/v1/session").body())
        .contains("\"user\":\"alice\"", "tasks")
        .doesNotContain("admin");
    assertThat(visitor.get("/api/v1/oidc/logout").body()).contains(issuer.url() + "/logout?");
    assertThat(visitor.get("/api/v1/users").statusCode()).isEqualTo(403);

    issuer.claims.put("groups", List.of("users", "staff"));
    assertThat(visitor.signIn().statusCode()).isEqualTo(303);
    assertThat(visitor.get("/api/v1/users").statusCode()).isEqualTo(200);
    assertThat(admin.get("/api/v1/audit?user=alice").expect(200).text())
        .contains("/api/v1/oidc/callback")
        .doesNotContain("code=", TestIssuer.SECRET);

    Rest.Answer out =
        new Rest(service.url(), "")
            .send(
                "DELETE",
                "/api/v1/session",
                null,
                "X-FDT-Page",
                "1",
                "Cookie",
                "fdt_session=" + visitor.cookies.get("fdt_session"))
            .expect(204);
    assertThat(out.response().headers().firstValue("Set-Cookie").orElseThrow())
        .contains("Max-Age=0");
    assertThat(visitor.isSignedIn()).isFalse();
  }

  @Test
  void aTokenThatIsNotGoodSignsNobodyIn() throws Exception {
    for (TestIssuer.Signature bad : TestIssuer.Signature.values()) {
      if (bad != TestIssuer.Signature.GOOD) {
        issuer.signature = bad;
        assertRefused(bad.name());
      }
    }
    issuer.signature = TestIssuer.Signature.GOOD;
    issuer.lie = claims -> claims.issuer("https://other.example");
    assertRefused("issuer");
    issuer.lie = claims -> claims.audience("another-client");
    assertRefused("audience");
    issuer.lie = claims -> claims.audience(List.of(TestIssuer.CLIENT, "x")).claim("azp", "x");
    assertRefused("authorised party");
    issuer.lie = claims -> claims.claim("nonce", "another");
    assertRefused("nonce");
    issuer.lie = claims -> claims.claim("nonce", null);
    assertRefused("no nonce");
    issuer.lie = claims -> claims.claim("exp", seconds(-300));
    assertRefused("expired");
    issuer.lie = claims -> claims.claim("iat", seconds(300));
    assertRefused("from the future");
    issuer.lie = claims -> claims.subject(null);
    assertRefused("no subject");

    // Clocks may be a little apart.
    issuer.lie = claims -> claims.claim("exp", seconds(-20));
    assertThat(new Visitor().signIn().statusCode()).isEqualTo(303);
  }

  @Test
  void anAnswerIsGoodForTheBrowserThatAskedAndOnce() throws Exception {
    Visitor victim = new Visitor();
    String ofAttacker = new Visitor().there();
    assertThat(victim.get(ofAttacker).statusCode()).as("no attempt of its own").isEqualTo(401);
    String own = victim.there();
    assertThat(victim.get(ofAttacker).statusCode()).as("another state").isEqualTo(401);
    assertThat(victim.get(own.replaceFirst("state=[^&]*", "state=")).statusCode()).isEqualTo(401);
    assertThat(victim.isSignedIn()).isFalse();

    Map<String, String> before = Map.copyOf(victim.cookies);
    assertThat(victim.get(own).statusCode()).isEqualTo(303);
    Visitor thief = new Visitor();
    thief.cookies.putAll(before);
    assertThat(thief.get(own).statusCode()).as("the code was used").isEqualTo(401);
    assertThat(thief.isSignedIn()).isFalse();
    assertThat(victim.isSignedIn()).isTrue();

    Visitor other = new Visitor();
    String there = other.there();
    other.cookies.replaceAll((name, value) -> value.replaceFirst(".$", "!"));
    assertThat(other.get(there).statusCode()).as("a changed cookie").isEqualTo(401);
  }

  /** Somebody sets a cookie in another's browser, and waits until that one signs in. */
  @Test
  void aSessionThatWasThereBeforeIsNotTheOneThatIsSignedIn() throws Exception {
    Visitor attacker = new Visitor();
    issuer.claims.put("preferred_username", "mallory");
    issuer.lie = claims -> claims.subject("subject-2");
    assertThat(attacker.signIn().statusCode()).isEqualTo(303);
    issuer.lie = claims -> {};
    issuer.claims.clear();
    Visitor victim = new Visitor();
    victim.cookies.putAll(attacker.cookies);

    assertThat(victim.signIn().statusCode()).isEqualTo(303);
    assertThat(victim.cookies.get("fdt_session")).isNotEqualTo(attacker.cookies.get("fdt_session"));
    assertThat(victim.get("/api/v1/session").body()).contains("alice");
    assertThat(attacker.isSignedIn()).as("what was there before is over").isFalse();
  }

  @Test
  void anotherProvidersAnswerIsNotTakenForThisOnes() throws Exception {
    Visitor visitor = new Visitor();
    assertThat(visitor.get(visitor.there() + "&iss=https://other.example").statusCode())
        .isEqualTo(401);
    String denied = visitor.there().replaceFirst("code=[^&]*", "error=access_denied");
    HttpResponse<String> answer = visitor.get(denied);
    assertThat(answer.statusCode()).isEqualTo(401);
    assertThat(answer.body()).contains("access_denied");
    assertThat(visitor.isSignedIn()).isFalse();
  }

  @Test
  void keysAreKeptUntilThereIsANewOne() throws Exception {
    for (int i = 0; i < 3; i++) {
      assertThat(new Visitor().signIn().statusCode()).isEqualTo(303);
    }
    assertThat(issuer.askedForKeys).hasValue(1);
    issuer.key = TestIssuer.newKey();
    assertThat(new Visitor().signIn().statusCode()).isEqualTo(303);
    assertThat(issuer.askedForKeys).hasValue(2);
  }

  @Test
  void namesBelongToOnePersonAndAreMadeWhereTheyAreStrange() throws Exception {
    issuer.claims.put("preferred_username", "tester");
    assertRefused("the one who has started the service");
    issuer.claims.put("preferred_username", "Jörg <b>");
    Visitor visitor = new Visitor();
    assertThat(visitor.signIn().statusCode()).isEqualTo(303);
    assertThat(visitor.get("/api/v1/session").body()).containsPattern("\"user-[0-9a-f]{12}\"");
    issuer.claims.put("preferred_username", "alice");
    assertThat(visitor.signIn().statusCode()).isEqualTo(303);
    assertThat(visitor.get("/api/v1/session").body()).contains("\"user-");
  }

  @Test
  void onlyMembersComeInWhereAGroupIsNamed() throws Exception {
    service.close();
    service =
        TransferService.start(
            options("--oidc-group", "lab", "--oidc-groups-claim", "realm_access.roles"),
            "tester",
            root);
    assertRefused("no group");
    issuer.claims.put("realm_access", Map.of("roles", List.of("lab")));
    assertThat(new Visitor().signIn().statusCode()).isEqualTo(303);
  }

  @Test
  void aProviderThatIsAwayIsSaid() throws Exception {
    String url = issuer.url();
    issuer.close();
    HttpResponse<String> answer = new Visitor().get("/api/v1/oidc/login");
    assertThat(answer.statusCode()).isEqualTo(503);
    assertThat(answer.body()).contains("identity provider").doesNotContain(url);
    admin.get("/api/v1/tasks").expect(200);
  }

  @Test
  void behindAProxyCookiesCannotBeSetByOthers() throws Exception {
    service.close();
    service = TransferService.start(options("--url", "https://fdt.example"), "tester", root);
    Rest.Answer begun =
        new Rest(service.url(), "").send("GET", "/api/v1/oidc/login", null).expect(303);
    assertThat(begun.response().headers().firstValue("Set-Cookie").orElseThrow())
        .startsWith("__Host-fdt_sign_in=")
        .contains("; Secure", "SameSite=Lax");
    assertThat(location(begun.response()))
        .contains("redirect_uri=https%3A%2F%2Ffdt.example%2Fapi%2Fv1%2Foidc%2Fcallback");
  }

  @Test
  void optionsThatMakeNoSenseAreRefused() {
    Path home = root.resolve("fdt");
    for (List<String> bad :
        List.of(
            List.of("--oidc-client", "x"),
            List.of("--oidc-issuer", issuer.url()),
            List.of("--oidc-issuer", "http://idp.example", "--oidc-client", "x"),
            List.of("--oidc-issuer", "https://u@idp.example", "--oidc-client", "x"),
            List.of("--url", "ftp://x"),
            List.of("--url", "https://x/y"))) {
      Assertions.assertThatThrownBy(() -> ServiceOptions.parse(bad, Map.of(), home))
          .as("%s", bad)
          .isInstanceOf(FdtException.class)
          .hasMessageContaining("--");
    }
  }
}
