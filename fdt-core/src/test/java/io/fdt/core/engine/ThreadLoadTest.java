package io.fdt.core.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Offset.offset;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the threads of a process are told to have done, as /proc/PID/task has it. */
class ThreadLoadTest {
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
    task("1", "java", 1500, 0);
    task("2", "fdt-client-1-1", 1200, 100);
    task("3", "fdt-1-read", 170, 110);
    assertThat(load.take(1000)).isCloseTo(0.3, offset(1e-9));
    assertThat(load.take(2000)).isZero();
  }

  @Test
  void aThreadThatIsNewCountsFromItsBeginning() throws IOException {
    task("1", "fdt-client-1-1", 0, 0);
    ThreadLoad load = new ThreadLoad(0, tasks);
    task("2", "fdt-1-write", 400, 100);
    assertThat(load.take(1000)).isCloseTo(0.5, offset(1e-9));
  }

  @Test
  void oneThatHasEndedIsLeftOut() throws IOException {
    task("1", "fdt-client-1-1", 0, 0);
    task("2", "fdt-1-read", 0, 0);
    ThreadLoad load = new ThreadLoad(0, tasks);
    task("1", "fdt-client-1-1", 200, 0);
    Files.delete(tasks.resolve("2/schedstat"));
    assertThat(load.take(1000)).isCloseTo(0.2, offset(1e-9));
  }

  @Test
  void whereTheSystemDoesNotSayTheyMayBeFull() throws IOException {
    assertThat(new ThreadLoad(0, tasks.resolve("none")).take(1000)).isEqualTo(1);
    task("1", "fdt-client-1-1", 0, 0);
    Files.writeString(tasks.resolve("1/schedstat"), "odd");
    assertThat(new ThreadLoad(0, tasks).take(1000)).isEqualTo(1);
  }
}
