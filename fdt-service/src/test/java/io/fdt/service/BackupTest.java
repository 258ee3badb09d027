package io.fdt.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What SERVICE.md says of backups, done. */
@Timeout(120)
class BackupTest {
  @TempDir private Path root;

  /** Of a service that runs. */
  @Test
  void aCopyOfTheDatabaseAndTheKeyIsTheServiceAgain() throws Exception {
    Site site = new Site(root);
    try {
      site.write("run/file", 1000, 1);
      TransferService service = site.service();
      Rest rest = site.rest(service.url());
      site.addEndpoints(rest);
      Object task = rest.post("/api/v1/tasks", Site.transfer()).expect(201).json().get("task_id");
      rest.end(task);
      String token =
          (String)
              rest.post("/api/v1/tokens", Map.of("label", "x", "scopes", List.of("read")))
                  .expect(201)
                  .json()
                  .get("token");
      Path database = root.resolve("backup.db");
      site.sql("VACUUM INTO '" + database + "'");
      Path key = Files.copy(root.resolve("fdt/service/key"), root.resolve("backup.key"));
      service.close();

      Path home = Files.createDirectories(root.resolve("restored/service"));
      Files.copy(database, home.resolve("service.db"));
      Files.copy(key, home.resolve("key"));
      for (String name : List.of("service.db", "key")) {
        home.resolve(name).toFile().setReadable(false, false);
        assertThat(home.resolve(name).toFile().setReadable(true, true)).isTrue();
      }
      ServiceOptions options =
          ServiceOptions.parse(List.of("--port", "0"), Map.of(), root.resolve("restored"));
      try (TransferService restored = TransferService.start(options, "tester", root)) {
        Rest again = new Rest(restored.url(), Site.commandToken(root.resolve("restored")));
        assertThat(again.events(task)).contains("succeeded");
        new Rest(restored.url(), token).get("/api/v1/tasks").expect(200);
        again.post("/api/v1/endpoints/a/check", null).expect(200); // its token is readable
      }
    } finally {
      site.close();
    }
  }
}
