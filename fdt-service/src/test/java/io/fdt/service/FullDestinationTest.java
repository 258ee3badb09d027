package io.fdt.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A destination that has room for some files only, at first. */
@Timeout(120)
class FullDestinationTest {
  private static final Duration DEADLINE = Duration.ofSeconds(30);

  @TempDir private Path root;
  private Path incoming;

  @BeforeEach
  void mount() throws Exception {
    incoming = Files.createDirectory(root.resolve("incoming"));
    assumeTrue(run("mount", "-t", "tmpfs", "-o", "size=12m", "none"), "no right to mount");
  }

  @AfterEach
  void unmount() throws Exception {
    run("umount", "-l");
  }

  private boolean run(String... command) throws Exception {
    String[] whole = Arrays.copyOf(command, command.length + 1);
    whole[command.length] = incoming.toString();
    Process process = new ProcessBuilder(whole).redirectErrorStream(true).start();
    return process.waitFor(20, TimeUnit.SECONDS) && process.exitValue() == 0;
  }

  @Test
  void filesForWhichThereWasNoRoomArriveWhenThereIs() throws Exception {
    Site site = new Site(root);
    try {
      Path ballast = Files.write(incoming.resolve("ballast"), new byte[8 * Site.MIB]);
      site.write("run/small", 1000, 1);
      site.write("run/large", 8 * Site.MIB, 2);
      Rest rest = site.rest(site.service().url());
      site.addEndpoints(rest);
      Object task = rest.post("/api/v1/tasks", Site.transfer()).expect(201).json().get("task_id");
      await("the first attempt")
          .atMost(DEADLINE)
          .until(() -> rest.events(task).contains("fault") || rest.task(task).get("ended") != null);
      assertThat(rest.events(task)).contains("problem", "fault");
      assertThat(incoming.resolve("run/small")).exists();
      Files.delete(ballast);

      await("the end").atMost(DEADLINE).until(() -> rest.task(task).get("ended") != null);
      assertThat(rest.end(task)).containsEntry("state", "succeeded");
      assertThat(Files.mismatch(incoming.resolve("run/large"), site.data.resolve("run/large")))
          .isEqualTo(-1);
    } finally {
      site.close();
    }
  }
}
