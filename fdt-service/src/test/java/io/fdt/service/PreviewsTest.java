package io.fdt.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.LIST;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The answers that a user needs before a transfer: its size, and a dry run. */
class PreviewsTest {
  @TempDir private Path root;
  private Site site;
  private Rest rest;

  @BeforeEach
  void start() throws Exception {
    site = new Site(root);
    rest = site.rest(site.service().url());
    site.addEndpoints(rest);
    site.write("run/file", 1000, 1);
    site.write("run/deep/other", 500, 2);
  }

  @AfterEach
  void end() throws Exception {
    site.close();
  }

  @Test
  void aDryRunNamesFilesAndChangesNothing() throws Exception {
    Files.createDirectories(site.incoming.resolve("run"));
    Files.writeString(site.incoming.resolve("run/extra"), "x");
    Map<String, Object> task = Site.transfer();
    task.put("options", Map.of("recursive", true, "delete", true));

    Map<String, Object> preview = rest.post("/api/v1/previews", task).expect(200).json();

    assertThat(preview)
        .containsEntry("files_due", 2L)
        .containsEntry("bytes_due", 1500L)
        .containsEntry("files_unchanged", 0L)
        .containsEntry("deleted", 1L)
        .containsEntry("problems", List.of());
    assertThat(preview.get("names")).asInstanceOf(LIST).hasSize(2);
    assertThat(preview.get("deleted_names").toString()).contains("run/extra");
    assertThat(site.incoming.resolve("run/extra")).exists();
    assertThat(site.incoming.resolve("run/file")).doesNotExist();
    assertThat(rest.get("/api/v1/tasks").json()).containsEntry("tasks", List.of());

    rest.end(rest.post("/api/v1/tasks", task).expect(201).json().get("task_id"));
    assertThat(rest.post("/api/v1/previews", task).expect(200).json())
        .containsEntry("files_due", 0L)
        .containsEntry("files_unchanged", 2L);
  }

  /** An auditor looks for changes. */
  @Test
  void aQuestionHasNoEntryInTheAuditLog() throws Exception {
    rest.post("/api/v1/previews", Site.transfer()).expect(200);
    rest.get("/api/v1/endpoints/a/size?path=%2Fdata%2Frun").expect(200);
    rest.end(rest.post("/api/v1/tasks", Site.transfer()).expect(201).json().get("task_id"));

    assertThat(rest.get("/api/v1/audit").expect(200).text())
        .contains("POST /api/v1/tasks")
        .doesNotContain("previews")
        .doesNotContain("size");
  }

  @Test
  void aDryRunIsRefusedAsItsTaskWouldBe() throws Exception {
    Map<String, Object> task = Site.transfer();
    task.put("source_paths", List.of("/data/nowhere"));
    Rest.Answer missing = rest.post("/api/v1/previews", task);
    assertThat(missing.text()).contains("/data/nowhere");
    task.put("source_paths", List.of("/data/../etc"));
    rest.post("/api/v1/previews", task).expect(400);
    rest.post(
            "/api/v1/previews",
            Map.of("kind", "delete", "source_endpoint", "b", "source_paths", List.of("/inc/x")))
        .expect(400);
  }

  @Test
  void aDirectoryIsCounted() throws Exception {
    assertThat(rest.get("/api/v1/endpoints/a/size?path=%2Fdata%2Frun").expect(200).json())
        .containsEntry("files", 2L)
        .containsEntry("bytes", 1500L)
        .containsEntry("complete", true);
    rest.get("/api/v1/endpoints/a/size?path=%2Fdata%2Fnowhere").expect(404);
  }

  @Test
  void hiddenNamesAreLeftOutAndCounted() throws Exception {
    site.write("run/.hidden", 10, 3);
    String address = "/api/v1/endpoints/a/files?path=%2Fdata%2Frun&sort=kind";
    Map<String, Object> shown = rest.get(address + "&hidden=false").expect(200).json();
    assertThat(shown)
        .containsEntry("total", 2L)
        .containsEntry("left_out", 1L)
        .containsEntry("bytes", 1000L);
    assertThat(((List<?>) shown.get("files")).get(0).toString()).contains("name=deep");
    assertThat(rest.get(address).expect(200).json())
        .containsEntry("total", 3L)
        .containsEntry("left_out", 0L);
  }
}
