package io.fdt.service.task;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The last files that arrived, of the tasks that run in this process and of the last ones that ran.
 * Any thread.
 */
public final class ArrivedFiles {
  /**
   * The most files of a task, and the most tasks. Memory: 10 MB at most with names of 100 bytes.
   */
  private static final int MOST_FILES = 500;

  private static final int MOST_TASKS = 100;

  /**
   * A file.
   *
   * @param name its path at the source
   * @param bytes its size
   */
  public record Arrived(String name, long bytes) {}

  private final Map<String, Deque<Arrived>> tasks =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Deque<Arrived>> eldest) {
          return size() > MOST_TASKS;
        }
      };

  public synchronized void add(String taskId, String name, long bytes) {
    Deque<Arrived> files = tasks.computeIfAbsent(taskId, id -> new ArrayDeque<>());
    if (files.size() == MOST_FILES) {
      files.removeFirst();
    }
    files.addLast(new Arrived(name, bytes));
  }

  /** The files of a task, the last one first; none when it runs elsewhere or ended long ago. */
  public synchronized List<Arrived> of(String taskId) {
    List<Arrived> files = new ArrayList<>(tasks.getOrDefault(taskId, new ArrayDeque<>()));
    Collections.reverse(files);
    return files;
  }
}
