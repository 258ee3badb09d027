package io.fdt.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class ServiceMainTest {
  @TempDir private Path root;

  @Test
  void theJarByItselfPrintsItsOptions() throws Exception {
    try (ServiceProcess process = ServiceProcess.start(root, "--help")) {
      assertThat(process.stop()).isZero();
      assertThat(process.output())
          .contains("usage: fdt service [--port PORT]", "--keep-tasks DAYS");
    }
    assertThat(root.resolve("fdt")).doesNotExist();
  }
}
