package io.fdt.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class RetentionTest {
  private static final long DAY_MILLIS = Duration.ofDays(1).toMillis();

  @TempDir private Path root;

  @Test
  void tasksThatEndedLongAgoAreRemovedWithTheirEventsAndNoOthers() throws Exception {
    Site site = new Site(root);
    try {
      site.write("run/file", 1000, 1);
      TransferService first = site.service();
      Rest rest = site.rest(first.url());
      site.addEndpoints(rest);
      rest.post("/api/v1/webhooks", Map.of("url", "http://127.0.0.1:9/x")).expect(201);
      Object old = rest.post("/api/v1/tasks", Site.transfer()).expect(201).json().get("task_id");
      Object young = rest.post("/api/v1/tasks", Site.transfer()).expect(201).json().get("task_id");
      rest.end(old);
      rest.end(young);
      first.close();
      site.sql(
          "UPDATE task SET ended = ended - 91 * %d WHERE id = '%s'".formatted(DAY_MILLIS, old));
      site.sql(
          "UPDATE task SET ended = ended - 89 * %d WHERE id = '%s'".formatted(DAY_MILLIS, young));

      Rest again = site.rest(site.service().url());
      await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> again.get("/api/v1/tasks/" + old).status() == 404);
      again.get("/api/v1/tasks/" + young).expect(200);
      assertThat(again.events(young)).contains("succeeded");
      for (String table : List.of("event", "outbox")) {
        String count = "SELECT COUNT(*) FROM %s WHERE task = '%s'";
        assertThat(site.number(count.formatted(table, old))).as(table).isZero();
      }
    } finally {
      site.close();
    }
  }
}
