package io.fdt.service;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What was given for a time ends with it. */
@Timeout(120)
class ExpiryTest {
  private final MovingClock clock = new MovingClock();

  @TempDir private Path root;
  private Site site;
  private TransferService service;

  @BeforeEach
  void start() throws Exception {
    site = new Site(root);
    service = site.service(clock);
  }

  @AfterEach
  void end() throws Exception {
    site.close();
  }

  private Rest.Answer signIn(String link) throws Exception {
    Map<String, Object> body = Map.of("link", link.replaceFirst(".*#link=", ""));
    return new Rest(service.url(), "").send("POST", "/api/v1/session", body, "X-FDT-Page", "1");
  }

  @Test
  void aSignInLinkIsGoodForAQuarterOfAnHour() throws Exception {
    String link = service.signInLink();
    String other = service.signInLink();
    clock.move(Duration.ofMinutes(15).minusMillis(1));
    signIn(link).expect(200);
    clock.move(Duration.ofMillis(1));
    signIn(other).expect(401);
  }

  @Test
  void aCookieIsGoodForTwelveHours() throws Exception {
    String cookie =
        signIn(service.signInLink())
            .expect(200)
            .response()
            .headers()
            .firstValue("Set-Cookie")
            .orElseThrow()
            .replaceFirst(";.*", "");
    Rest browser = new Rest(service.url(), "");
    clock.move(Duration.ofHours(12).minusMillis(1));
    browser.send("GET", "/api/v1/tasks", null, "Cookie", cookie).expect(200);
    clock.move(Duration.ofMillis(1));
    browser.send("GET", "/api/v1/tasks", null, "Cookie", cookie).expect(401);
  }

  @Test
  void aTokenIsGoodForItsDays() throws Exception {
    Map<String, Object> body = Map.of("label", "x", "scopes", List.of("read"), "days", 2L);
    Rest command = site.rest(service.url());
    Rest token =
        new Rest(
            service.url(),
            (String) command.post("/api/v1/tokens", body).expect(201).json().get("token"));
    clock.move(Duration.ofDays(2).minusMillis(1));
    token.get("/api/v1/tasks").expect(200);
    clock.move(Duration.ofMillis(1));
    token.get("/api/v1/tasks").expect(401);
    command.get("/api/v1/tasks").expect(200);
  }
}
