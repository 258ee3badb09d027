package io.fdt.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A database whose disk is full, while the service runs and when it starts. */
@Timeout(180)
class DatabaseFullTest {
  private static final Duration DEADLINE = Duration.ofSeconds(60);

  @TempDir private Path root;
  private Path small;
  private Path ballast;

  @BeforeEach
  void mount() throws Exception {
    small = Files.createDirectory(root.resolve("small"));
    assumeTrue(
        run("mount", "-t", "tmpfs", "-o", "size=8m", "none", small.toString()),
        "cannot mount a small file system");
    ballast = small.resolve("ballast");
  }

  @AfterEach
  void unmount() throws Exception {
    run("umount", "-l", small.toString());
  }

  private static boolean run(String... command) throws Exception {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    return process.waitFor(20, TimeUnit.SECONDS) && process.exitValue() == 0;
  }

  /** Takes all room that is left. */
  private void fill() throws IOException {
    byte[] block = new byte[4096];
    try (var out =
        Files.newOutputStream(ballast, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
      for (int i = 0; i < 4096; i++) {
        out.write(block);
      }
    } catch (IOException e) {
      assertThat(e).hasMessageContaining("No space");
    }
  }

  private ServiceProcess service() throws IOException {
    return ServiceProcess.startIn(root, small);
  }

  private static int healthz(Rest rest) throws Exception {
    return rest.get("/healthz").status();
  }

  private static long lines(ServiceProcess service, String text) throws IOException {
    return service.output().lines().filter(line -> line.contains(text)).count();
  }

  @Test
  void whileItRunsOneLineSaysThatTheDiskIsFullAndOneThatItIsBack() throws Exception {
    try (ServiceProcess service = service()) {
      Rest rest = new Rest(service.url(), Site.commandToken(small));
      rest.get("/healthz").expect(200);
      Map<String, Object> token = Map.of("label", "x", "role", "reader");
      AtomicInteger refused = new AtomicInteger();
      await("a database that has found its last byte")
          .atMost(DEADLINE)
          .until(
              () -> {
                fill();
                boolean isFull = rest.post("/api/v1/tokens", token).status() == 503;
                return refused.updateAndGet(before -> isFull ? before + 1 : 0) == 5;
              });
      await().atMost(DEADLINE).until(() -> healthz(rest) == 503);
      for (int i = 0; i < 20; i++) {
        fill();
        assertThat(rest.post("/api/v1/tokens", token).expect(503).text())
            .contains("its disk is full; free some space");
      }
      Files.delete(ballast);
      await("the line that it is back")
          .atMost(DEADLINE)
          .until(() -> healthz(rest) == 200 && lines(service, "the database is back after") == 1);
      assertThat(lines(service, "the database is away: its disk is full")).isEqualTo(1);
      assertThat(lines(service, "WARN")).isEqualTo(2);
      assertThat(lines(service, "ERROR") + lines(service, "\tat ")).isZero();
    }
  }

  @Test
  void aStartOnAFullDiskEndsWithOneLine() throws Exception {
    try (ServiceProcess service = service()) {
      service.stop();
    }
    fill();
    try (ServiceProcess service = service()) {
      assertThat(service.output().strip().lines())
          .hasSize(1)
          .first()
          .asString()
          .startsWith("fdt: service: ")
          .contains("its disk is full; free some space");
      assertThat(service.stop()).as("exit status").isEqualTo(6);
    }
  }
}
