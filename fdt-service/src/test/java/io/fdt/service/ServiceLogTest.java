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

/** The log of a service that is a process. */
@Timeout(120)
class ServiceLogTest {
  @TempDir private Path root;
  private Site site;

  @BeforeEach
  void start() throws Exception {
    site = new Site(root);
    site.write("run/file", 1000, 1);
  }

  @AfterEach
  void end() throws Exception {
    site.close();
  }

  @Test
  void theEndOfATaskIsOneLineAsInTheLogOfAServer() throws Exception {
    try (ServiceProcess service = ServiceProcess.start(root)) {
      Rest rest = site.rest(service.url());
      site.addEndpoints(rest);
      Object task = rest.post("/api/v1/tasks", Site.transfer()).expect(201).json().get("task_id");
      rest.end(task);
      Map<String, Object> odd = Site.transfer();
      odd.put("source_paths", List.of("/data/x result=done"));
      rest.end(rest.post("/api/v1/tasks", odd).expect(201).json().get("task_id"));
      service.stop();

      String start = "[-0-9T:.]+Z INFO  attempt ended task=";
      assertThat(service.output().lines().filter(line -> line.contains("attempt ended")))
          .hasSize(2)
          .anyMatch(
              line ->
                  line.matches(
                      start
                          + task
                          + " user=\\S+ kind=transfer source=a destination=b paths=/data/run"
                          + " files=1 failed=0 deleted=0 bytes=1000 seconds=[0-9.]+"
                          + " result=succeeded reason=.*"))
          .anyMatch(
              line ->
                  line.matches(
                      start + ".* paths=\"/data/x result=done\" .* result=failed reason=\".*\""));
    }
  }
}
