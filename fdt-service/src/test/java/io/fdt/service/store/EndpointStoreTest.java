package io.fdt.service.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.service.Postgres;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class EndpointStoreTest {
  private static final long NOW = 1_000_000;

  @TempDir private Path root;

  @Test
  void whatIsDueIsFoundByItsIndexInSqlite() throws Exception {
    try (Database database = Database.open("jdbc:sqlite:" + root.resolve("db"))) {
      checkDue(database, "EXPLAIN QUERY PLAN ", "detail", "USING INDEX endpoint_due (next_look<?)");
    }
  }

  @Test
  void whatIsDueIsFoundByItsIndexInPostgres() throws Exception {
    Postgres server = Postgres.start(root);
    try (Database database = Database.open(server.database())) {
      checkDue(database, "EXPLAIN ", "QUERY PLAN", "Index Scan using endpoint_due on endpoint");
    } finally {
      server.remove();
    }
  }

  private static void checkDue(Database database, String explain, String column, String index) {
    database.<Integer, RuntimeException>transaction(
        sql ->
            sql.update(
                "INSERT INTO endpoint (id, owner, name, host, port, fingerprint, token,"
                    + " default_path, max_tasks, created, version, next_look) WITH RECURSIVE n (i)"
                    + " AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) SELECT 'e' || i,"
                    + " 'user' || (i % 50), 'n' || i, 'h', 1, '', '', '/', 4, 1, 1, CASE WHEN i <="
                    + " 4 THEN i ELSE ? + i END FROM n",
                NOW));
    database.<Integer, RuntimeException>transaction(sql -> sql.update("ANALYZE endpoint"));

    EndpointStore store = new EndpointStore(database);
    assertThat(store.due(NOW, 8, List.of("user2", "user7")).stream().map(Endpoint::id))
        .containsExactly("e1", "e3", "e4");
    List<String> plan =
        database.transaction(
            sql ->
                sql.list(
                    row -> row.text(column),
                    explain + EndpointStore.due(2),
                    NOW,
                    "user2",
                    "user7",
                    8));
    assertThat(String.join("\n", plan))
        .contains(index)
        .doesNotContainIgnoringCase("sort", "B-TREE");
  }
}
