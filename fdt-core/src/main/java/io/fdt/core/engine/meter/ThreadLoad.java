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
 * The share of time in which the busiest transfer thread of this process ran or waited for a
 * processor: 1 when it never waited for anything else. Linux counts it in
 * /proc/PID/task/TID/schedstat, in nanoseconds.
 *
 * <p>Thread-safe: all sessions of a process share one instance, which reads at most once a second.
 */
public final class ThreadLoad {
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(900);

  /**
   * The prefix of transfer threads. Threads of the JVM, such as compilers and garbage collectors,
   * are ignored.
   */
  private static final String OURS = "fdt-";

  /** The load of this process. */
  public static final ThreadLoad OF_PROCESS =
      new ThreadLoad(System.nanoTime(), Path.of("/proc/self/task"));

  /** One thread at the last reading. */
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

  /** The result of the last reading. */
  private double load = 1;

  /**
   * @param tasks as Linux' /proc/self/task; may be missing
   */
  public ThreadLoad(long nowNanos, Path tasks) {
    this.tasks = tasks;
    this.lastNanos = nowNanos;
    look();
  }

  /** The load in the last second, or since the last call, 0 to 1; 1 if unknown. */
  public synchronized double take(long nowNanos) {
    double elapsed = nowNanos - lastNanos;
    if (elapsed >= LOOK_NANOS) {
      double most = look();
      lastNanos = nowNanos;
      load = most < 0 ? 1 : Math.min(1, most / elapsed);
    }
    return load;
  }

  /** Nanoseconds of the busiest thread since the last reading; -1 if unknown. */
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

  /** Nanoseconds in which a thread ran or waited for a processor. */
  private static long nanosOf(Path task) throws IOException {
    String[] numbers = read(task.resolve("schedstat")).split(" ", 3);
    return Long.parseLong(numbers[0]) + Long.parseLong(numbers[1]);
  }

  private static String read(Path file) throws IOException {
    return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
  }
}
