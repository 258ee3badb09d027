package io.fdt.core.engine;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * How much the busiest of this process's threads for transfers ran, or waited for a processor: 1
 * when it never had to wait for anything else. Linux tells that in /proc/PID/task/TID/schedstat, in
 * nanoseconds.
 *
 * <p>Not thread-safe: confined to the event loop of a session.
 */
final class ThreadLoad {
  /** How the names of our threads begin. Compilers and collectors of the machine do not count. */
  private static final String OURS = "fdt-";

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

  /**
   * @param tasks as Linux' /proc/self/task; need not be there
   */
  ThreadLoad(long nowNanos, Path tasks) {
    this.tasks = tasks;
    this.lastNanos = nowNanos;
    look();
  }

  /** Since the last call, 0 to 1; 1 where the system does not say. */
  double take(long nowNanos) {
    double most = look();
    double elapsed = Math.max(1, nowNanos - lastNanos);
    lastNanos = nowNanos;
    return most < 0 ? 1 : Math.min(1, most / elapsed);
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
      long since = nanosOf(one) - task.nanos;
      task.nanos += since;
      return since;
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
