package io.fdt.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Refusals do not fill the disk by the audit log. */
@Timeout(120)
class AuditFloodTest {
  private static final int TRIES = 300;

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

  private long bytes() throws Exception {
    return site.number("SELECT page_count * 4096 FROM pragma_page_count");
  }

  private List<?> entries(String query) throws Exception {
    return (List<?>) admin.get("/api/v1/audit?" + query).expect(200).json().get("entries");
  }

  @Test
  void refusedRequestsWithLongPathsAreOneShortEntryWithTheirNumber() throws Exception {
    Object token =
        admin
            .post("/api/v1/tokens", Map.of("label", "x", "user", "bob", "role", "reader"))
            .expect(201)
            .json()
            .get("token");
    Rest reader = new Rest(service.url(), (String) token);
    String path = "/api/v1/bookmarks/" + "x".repeat(14_000);
    reader.send("DELETE", path + 0, null).expect(403);
    long before = bytes();
    for (int i = 1; i < TRIES; i++) {
      reader.send("DELETE", path + i, null).expect(403);
    }

    assertThat(bytes()).isEqualTo(before);
    Map<?, ?> entry = (Map<?, ?>) entries("user=bob").get(0);
    assertThat(entries("user=bob")).hasSize(1);
    assertThat(entry.get("times")).isEqualTo((long) TRIES);
    assertThat((String) entry.get("target"))
        .startsWith("/api/v1/bookmarks/xxx")
        .hasSizeLessThan(310);
  }

  /** What a handler refuses after the entry has begun. */
  @Test
  void wrongLinksOfOneNetworkAreOneEntry() throws Exception {
    Rest stranger = new Rest(service.url(), "");
    for (int i = 0; i < 10; i++) {
      for (String network : List.of("203.0.113.1", "203.0.113.2")) {
        stranger
            .send(
                "POST",
                "/api/v1/session",
                Map.of("link", "wrong" + i),
                "X-FDT-Page",
                "1",
                "X-Forwarded-For",
                network)
            .expect(401);
      }
    }
    assertThat(entries("refused=true"))
        .hasSize(2)
        .allSatisfy(entry -> assertThat(((Map<?, ?>) entry).get("times")).isEqualTo(10L));
  }

  /** Those of others stay, however much one user does. */
  @Test
  void theOldestEntriesOfAUserWithTooManyAreRemoved() throws Exception {
    admin.post("/api/v1/tokens", Map.of("label", "x", "scopes", List.of("read"))).expect(201);
    service.close();
    site.sql(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100500)"
            + " INSERT INTO audit (id, at, owner, address, action, target, status, detail)"
            + " SELECT 'id' || i, CAST(unixepoch('subsec') * 1000 AS INTEGER) + i, 'bob', '',"
            + " 'POST /x', '/x', 200, '' FROM n");
    service = site.service();
    await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> site.number("SELECT COUNT(*) FROM audit WHERE owner = 'bob'") == 100_000);
    assertThat(site.number("SELECT COUNT(*) FROM audit WHERE id = 'id500'")).isZero();
    assertThat(site.number("SELECT COUNT(*) FROM audit WHERE owner = 'tester'")).isEqualTo(1);
  }
}
