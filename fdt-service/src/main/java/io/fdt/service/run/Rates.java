package io.fdt.service.run;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The histories of the tasks that run in this process, and of the last ones that ran. Any thread.
 */
public final class Rates {
  /** The most histories. Memory: 5 KB each at most. */
  private static final int MOST = 300;

  private final Map<String, RateHistory> histories =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, RateHistory> eldest) {
          return size() > MOST;
        }
      };

  /**
   * The rate of a task over time.
   *
   * @param beginMillis of the first point, since 1970; 0 when unknown
   * @param widthMillis from one point to the next
   * @param points bytes per second
   */
  public record Points(long beginMillis, long widthMillis, List<Long> points) {}

  synchronized void add(String taskId, long nowMillis, long bytesPerSecond) {
    histories
        .computeIfAbsent(taskId, id -> new RateHistory(nowMillis))
        .add(nowMillis, bytesPerSecond);
  }

  synchronized void stopped(String taskId, long nowMillis) {
    histories.computeIfPresent(
        taskId,
        (id, history) -> {
          history.stopped(nowMillis);
          return history;
        });
  }

  /** The points of a task; none when it runs in another process or ended long ago. */
  public synchronized Points of(String taskId) {
    RateHistory history = histories.get(taskId);
    return history == null ? new Points(0, 0, List.of()) : history.points();
  }
}
