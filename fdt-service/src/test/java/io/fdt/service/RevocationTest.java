package io.fdt.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Nothing that was made with a token outlives it. */
@Timeout(120)
class RevocationTest {
  @TempDir private Path root;
  private Site site;
  private TransferService service;
  private Rest admin;

  @BeforeEach
  void start() throws Exception {
    site = new Site(root);
    service = site.service();
    admin = site.rest(service.url());
  }

  @AfterEach
  void end() throws Exception {
    site.close();
  }

  private static Map<String, Object> make(Rest maker, String user, long days, String... headers)
      throws Exception {
    Map<String, Object> body = Map.of("label", "x", "user", user, "role", "user", "days", days);
    return maker.send("POST", "/api/v1/tokens", body, headers).expect(201).json();
  }

  private Rest with(Map<String, Object> made) {
    return new Rest(service.url(), (String) made.get("token"));
  }

  private static String link(Rest maker) throws Exception {
    String path = (String) maker.post("/api/v1/links", null).expect(201).json().get("path");
    return path.replaceFirst(".*=", "");
  }

  private Rest.Answer signIn(String link) throws Exception {
    return new Rest(service.url(), "")
        .send("POST", "/api/v1/session", Map.of("link", link), "X-FDT-Page", "1");
  }

  private int statusOf(String cookie) throws Exception {
    return new Rest(service.url(), "")
        .send("GET", "/api/v1/tasks", null, "Cookie", cookie)
        .status();
  }

  @Test
  void theTokensLinksAndSignInsOfARevokedTokenEndWithIt() throws Exception {
    Map<String, Object> maker = make(admin, "alice", 30);
    Map<String, Object> child = make(with(maker), "alice", 30);
    Map<String, Object> grandchild = make(with(child), "alice", 30);
    Map<String, Object> sibling = make(admin, "alice", 30);
    String unused = link(with(maker));
    String cookie =
        signIn(link(with(maker)))
            .expect(200)
            .response()
            .headers()
            .firstValue("Set-Cookie")
            .orElseThrow()
            .replaceFirst(";.*", "");
    Map<String, Object> ofBrowser =
        make(new Rest(service.url(), ""), "alice", 30, "Cookie", cookie, "X-FDT-Page", "1");
    assertThat(statusOf(cookie)).isEqualTo(200);

    assertThat(child).containsEntry("parent", maker.get("token_id"));
    assertThat(grandchild).containsEntry("parent", child.get("token_id"));
    assertThat(ofBrowser).containsEntry("parent", maker.get("token_id"));
    assertThat((List<?>) admin.get("/api/v1/tokens").expect(200).json().get("tokens"))
        .anySatisfy(
            token ->
                assertThat(((Map<?, ?>) token).get("parent")).isEqualTo(maker.get("token_id")));

    admin.send("DELETE", "/api/v1/tokens/" + maker.get("token_id"), null).expect(204);
    for (Map<String, Object> ended : List.of(maker, child, grandchild, ofBrowser)) {
      with(ended).get("/api/v1/tasks").expect(401);
    }
    assertThat(statusOf(cookie)).isEqualTo(401);
    signIn(unused).expect(401);
    with(sibling).get("/api/v1/tasks").expect(200);
  }

  @Test
  void aTokenDoesNotOutliveTheOneThatMadeIt() throws Exception {
    Map<String, Object> maker = make(admin, "alice", 1);
    assertThat(make(with(maker), "alice", 366)).containsEntry("expires", maker.get("expires"));
  }

  /** The command's own token is another one after each start. */
  @Test
  void whatTheCommandHasMadeOutlivesARestart() throws Exception {
    Map<String, Object> made = make(admin, "alice", 30);
    assertThat(made).doesNotContainKey("parent");
    service.close();
    service = site.service();
    with(made).get("/api/v1/tasks").expect(200);
  }

  /** A command that has read service.json just before a restart. */
  @Test
  void aTokenThatWasReadBeforeARestartIsGoodForAWhile() throws Exception {
    String before = site.commandToken();
    service.close();
    service = site.service();
    assertThat(site.commandToken()).isNotEqualTo(before);
    new Rest(service.url(), before).get("/api/v1/tasks").expect(200);
    site.rest(service.url()).get("/api/v1/tasks").expect(200);
  }
}
