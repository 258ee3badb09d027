package io.fdt.core.engine.meter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Offset.offset;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the threads of a process are told to have done, as /proc/PID/task has it. */
class ThreadLoadTest {
  private static final long SECOND = 1_000_000_000L;

  @TempDir private Path tasks;

  private void task(String id, String name, long ran, long waited) throws IOException {
    Path task = Files.createDirectories(tasks.resolve(id));
    Files.writeString(task.resolve("comm"), name + "\n");
    Files.writeString(task.resolve("schedstat"), ran + " " + waited + " 3\n");
  }

  @Test
  void theBusiestOfOursCountsWithWhatItWaitedFor() throws IOException {
    task("1", "java", 500, 0);
    task("2", "fdt-client-1-1", 1000, 0);
    task("3", "fdt-1-read", 70, 10);
    ThreadLoad load = new ThreadLoad(0, tasks);
    task("1", "java", 500 + SECOND, 0);
    task("2", "fdt-client-1-1", 1000 + SECOND / 5, SECOND / 10);
    task("3", "fdt-1-read", 70 + SECOND / 10, 10 + SECOND / 10);
    assertThat(load.take(SECOND)).isCloseTo(0.3, offset(1e-9));
    assertThat(load.take(2 * SECOND)).isZero();
  }

  @Test
  void allSessionsOfAProcessShareOneLookASecond() throws IOException {
    task("1", "fdt-client-1-1", 1, 0);
    ThreadLoad load = new ThreadLoad(0, tasks);
    task("1", "fdt-client-1-1", 1 + SECOND / 4, 0);
    assertThat(load.take(SECOND)).isCloseTo(0.25, offset(1e-9));
    task("1", "fdt-client-1-1", 1 + SECOND, 0);
    assertThat(load.take(SECOND + SECOND / 2)).isCloseTo(0.25, offset(1e-9));
    assertThat(load.take(2 * SECOND)).isCloseTo(0.75, offset(1e-9));
  }

  @Test
  void aThreadThatIsNewCountsFromItsBeginning() throws IOException {
    task("1", "fdt-client-1-1", 1, 0);
    ThreadLoad load = new ThreadLoad(0, tasks);
    task("2", "fdt-1-write", SECOND / 5 * 2, SECOND / 10);
    assertThat(load.take(SECOND)).isCloseTo(0.5, offset(1e-9));
  }

  @Test
  void oneThatHasEndedIsLeftOut() throws IOException {
    task("1", "fdt-client-1-1", 1, 0);
    task("2", "fdt-1-read", 1, 0);
    ThreadLoad load = new ThreadLoad(0, tasks);
    task("1", "fdt-client-1-1", 1 + SECOND / 5, 0);
    Files.delete(tasks.resolve("2/schedstat"));
    assertThat(load.take(SECOND)).isCloseTo(0.2, offset(1e-9));
  }

  @Test
  void whereTheSystemDoesNotSayTheyMayBeFull() throws IOException {
    assertThat(new ThreadLoad(0, tasks.resolve("none")).take(SECOND)).isEqualTo(1);
    task("1", "fdt-client-1-1", 0, 0);
    assertThat(new ThreadLoad(0, tasks).take(SECOND)).as("it does not count").isEqualTo(1);
    Files.writeString(tasks.resolve("1/schedstat"), "odd");
    assertThat(new ThreadLoad(0, tasks).take(SECOND)).isEqualTo(1);
  }
}
