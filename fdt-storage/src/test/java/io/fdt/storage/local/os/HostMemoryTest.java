package io.fdt.storage.local.os;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HostMemoryTest {
  @TempDir Path proc;
  @TempDir Path groups;

  @BeforeEach
  void host() throws IOException {
    write(proc.resolve("meminfo"), "MemTotal: 9000000 kB\nMemAvailable:    4000000 kB\n");
  }

  @Test
  void withoutALimitItIsThatOfTheMachine() throws IOException {
    write(proc.resolve("self/cgroup"), "0::/job\n");
    write(groups.resolve("job/memory.max"), "max\n");
    assertThat(HostMemory.available(proc, groups)).isEqualTo(4_000_000L << 10);
  }

  @Test
  void theLimitOfAGroupAboveCounts() throws IOException {
    write(proc.resolve("self/cgroup"), "0::/job/step\n");
    write(groups.resolve("job/memory.max"), "1000000\n");
    write(groups.resolve("job/step/memory.max"), "max\n");
    assertThat(HostMemory.available(proc, groups)).isEqualTo(1_000_000);
  }

  @Test
  void theLimitOfAGroupOfVersion1Counts() throws IOException {
    write(proc.resolve("self/cgroup"), "4:memory:/job\n3:cpuset:/\n0::/\n");
    write(groups.resolve("memory/job/memory.limit_in_bytes"), "2000000\n");
    assertThat(HostMemory.available(proc, groups)).isEqualTo(2_000_000);
  }

  @Test
  void aSystemWithoutProcHasNoLimit() throws IOException {
    Files.delete(proc.resolve("meminfo"));
    assertThat(HostMemory.available(proc, groups)).isEqualTo(Long.MAX_VALUE);
  }

  private static void write(Path file, String text) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }
}
