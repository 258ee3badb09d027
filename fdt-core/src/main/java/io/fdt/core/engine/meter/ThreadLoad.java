package io.fdt.core.engine.meter;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * How much the busiest of this process's threads for transfers ran, or waited for a processor: 1
 * when it never had to wait for anything else. Linux counts that in /proc/PID/task/TID/schedstat,
 * in nanoseconds.
 *
 * <p>Thread-safe: all sessions of a process share one, which looks at most once a second.
 */
public final class ThreadLoad {
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(900);

  /** How the names of our threads begin. Compilers and collectors of the machine do not count. */
  private static final String OURS = "fdt-";

  /** The load of this process. */
  public static final ThreadLoad OF_PROCESS =
      new ThreadLoad(System.nanoTime(), Path.of("/proc/self/task"));

  /** One thread at the last look. */
  private static final class Task {
    final boolean isOurs;
    long nanos;

    Task(boolean isOurs) {
      this.isOurs = isOurs;
    }
  }

  private final Path tasks;
  private Map<Path, Task> known = new HashMap<>();
  private long lastNanos;

  /** The result of the last look. */
  private double load = 1;

  /**
   * @param tasks as Linux' /proc/self/task; need not be there
   */
  public ThreadLoad(long nowNanos, Path tasks) {
    this.tasks = tasks;
    this.lastNanos = nowNanos;
    look();
  }

  /** In the last second, or since the last call, 0 to 1; 1 where the system does not say. */
  public synchronized double take(long nowNanos) {
    double elapsed = nowNanos - lastNanos;
    if (elapsed >= LOOK_NANOS) {
      double most = look();
      lastNanos = nowNanos;
      load = most < 0 ? 1 : Math.min(1, most / elapsed);
    }
    return load;
  }

  /** Nanoseconds of the busiest since the last look; -1 when nothing is known of any. */
  private long look() {
    Map<Path, Task> now = new HashMap<>();
    long most = -1;
    try (DirectoryStream<Path> all = Files.newDirectoryStream(tasks)) {
      for (Path one : all) {
        most = Math.max(most, look(one, now));
      }
    } catch (IOException | DirectoryIteratorException e) {
      return -1;
    }
    known = now;
    return most;
  }

  private long look(Path one, Map<Path, Task> now) {
    try {
      Task before = known.get(one);
      Task task = before == null ? new Task(isOurs(one)) : before;
      now.put(one, task);
      if (!task.isOurs) {
        return -1;
      }
      long nanos = nanosOf(one);
      long since = nanos - task.nanos;
      task.nanos = nanos;
      return nanos == 0 ? -1 : since; // a kernel that does not count says 0
    } catch (IOException | NumberFormatException | ArrayIndexOutOfBoundsException e) {
      return -1; // it has ended meanwhile, or the system says something else
    }
  }

  private static boolean isOurs(Path task) throws IOException {
    return read(task.resolve("comm")).startsWith(OURS);
  }

  /** That it ran, and that it waited for a processor. */
  private static long nanosOf(Path task) throws IOException {
    String[] numbers = read(task.resolve("schedstat")).split(" ", 3);
    return Long.parseLong(numbers[0]) + Long.parseLong(numbers[1]);
  }

  private static String read(Path file) throws IOException {
    return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
  }
}
