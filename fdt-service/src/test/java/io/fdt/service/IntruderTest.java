package io.fdt.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Those who guess, climb, or stay after they were shown the door. */
@Timeout(120)
class IntruderTest {
  @TempDir private Path root;
  private Site site;
  private TransferService service;
  private Rest admin;

  @BeforeEach
  void start() throws Exception {
    site = new Site(root);
    // What was used up stays so, however slow the machine is.
    service = site.service(Clock.fixed(Instant.now(), ZoneOffset.UTC));
    admin = site.rest(service.url());
  }

  @AfterEach
  void end() throws Exception {
    site.close();
  }

  private Rest user(String name, String role) throws Exception {
    String token =
        (String)
            admin
                .post("/api/v1/tokens", Map.of("label", "x", "user", name, "role", role))
                .expect(201)
                .json()
                .get("token");
    return new Rest(service.url(), token);
  }

  private int guess(String network) throws Exception {
    return new Rest(service.url(), "fdts_wrong")
        .send("GET", "/api/v1/tasks", null, "X-Forwarded-For", network)
        .status();
  }

  @Test
  void whoGuessesIsHeldUpAndNobodyElse() throws Exception {
    admin.get("/api/v1/tasks").expect(200);
    int wrong = 0;
    while (guess("2001:db8:1:2::" + Integer.toHexString(wrong + 1)) == 401) {
      wrong++;
      assertThat(wrong).as("addresses of one network count as one").isLessThan(100);
    }
    assertThat(guess("2001:db8:1:2:ffff::1")).isEqualTo(429);
    assertThat(guess("2001:db8:1:3::1")).as("another network").isEqualTo(401);
    admin
        .send("GET", "/api/v1/tasks", null, "X-Forwarded-For", "2001:db8:1:2::7")
        .expect(200); // a token that was good before
  }

  /** A flood of wrong tokens from everywhere. The clock stands still: no budget is refilled. */
  @Test
  void wrongTokensFromManyNetworksLockNoFreshTokenAndNoFreshLinkOut() throws Exception {
    for (int i = 0; i < 250; i++) { // a second had room for 100
      assertThat(guess("198.18.0." + i)).isEqualTo(401);
    }
    user("fresh", "reader")
        .send("GET", "/api/v1/tasks", null, "X-Forwarded-For", "203.0.113.1")
        .expect(200);
    Map<String, Object> link = Map.of("link", service.signInLink().replaceFirst(".*#link=", ""));
    new Rest(service.url(), "")
        .send("POST", "/api/v1/session", link, "X-FDT-Page", "1", "X-Forwarded-For", "203.0.113.2")
        .expect(200);
  }

  /** Without --proxy, a client that names another address in each request is one network. */
  @Test
  void theHeaderOfAClientThatIsNoProxyIsNotBelieved() throws Exception {
    service.close();
    ServiceOptions options =
        ServiceOptions.parse(List.of("--port", "0"), Map.of(), root.resolve("fdt"));
    try (TransferService direct =
        TransferService.start(
            options, "tester", root, Clock.fixed(Instant.now(), ZoneOffset.UTC))) {
      Rest wrong = new Rest(direct.url(), "fdts_wrong");
      int tries = 0;
      while (wrong
              .send("GET", "/api/v1/tasks", null, "X-Forwarded-For", "198.51.100." + tries)
              .status()
          == 401) {
        assertThat(++tries).isLessThan(100);
      }
    }
  }

  @Test
  void linksAreNotGuessedEither() throws Exception {
    Rest stranger = new Rest(service.url(), "");
    int status = 401;
    for (int tries = 0; status == 401; tries++) {
      assertThat(tries).isLessThan(100);
      status =
          stranger
              .send("POST", "/api/v1/session", Map.of("link", "x" + tries), "X-FDT-Page", "1")
              .status();
    }
    assertThat(status).isEqualTo(429);
  }

  /** An administrator is not the one whose files and secrets lie on the machine. */
  @Test
  void anAdministratorDoesNotBecomeTheOneWhoHasStartedTheService() throws Exception {
    Rest alice = user("alice", "admin");
    admin.send("PUT", "/api/v1/users/alice", Map.of("role", "admin")).expect(200);
    Map<String, Object> token = Map.of("label", "x", "user", "tester", "role", "user");
    alice.post("/api/v1/tokens", token).expect(403);
    admin.post("/api/v1/tokens", token).expect(201);
    alice.post("/api/v1/tokens", Map.of("label", "x", "user", "bob", "role", "user")).expect(201);
  }

  @Test
  void aChangeThatWasRefusedIsWrittenDown() throws Exception {
    Rest carol = user("carol", "reader");
    carol.post("/api/v1/tasks", Site.transfer()).expect(403);
    Map<?, ?> entry =
        (Map<?, ?>)
            ((List<?>) admin.get("/api/v1/audit?user=carol").expect(200).json().get("entries"))
                .get(0);
    assertThat(entry.get("action")).isEqualTo("POST /api/v1/tasks");
    assertThat(entry.get("status")).isEqualTo(403L);
  }

  @Test
  void aNameWithASignInItIsOneInAPath() throws Exception {
    assertThat(
            admin
                .send("PUT", "/api/v1/users/eve%40example.org", Map.of("role", "reader"))
                .expect(200)
                .json())
        .containsEntry("user", "eve@example.org");
  }
}
