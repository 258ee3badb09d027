package io.fdt.service.run;

import io.fdt.service.store.FigureStore.Link;
import io.fdt.service.task.Task;
import io.fdt.service.task.TaskState;
import java.util.Map;
import java.util.TreeMap;

/**
 * Counters of this process for each link since its start. Each event is counted by one process
 * only. Any thread.
 */
public final class Totals {
  /** The most links with separate counters. Memory: about 300 bytes each. */
  private static final int MOST_LINKS = 1000;

  private static final Link OTHERS = new Link("", "");

  private final Map<Link, OfLink> links = new TreeMap<>();

  public record OfLink(long attempts, long faults, long bytes, Map<TaskState, Long> ended) {
    public OfLink {
      ended = Map.copyOf(ended);
    }

    private OfLink plus(OfLink more) {
      Map<TaskState, Long> all = new TreeMap<>(ended);
      more.ended.forEach((state, count) -> all.merge(state, count, Long::sum));
      return new OfLink(attempts + more.attempts, faults + more.faults, bytes + more.bytes, all);
    }
  }

  private synchronized void add(Task task, OfLink more) {
    Link link = new Link(task.work().sourceName(), task.work().destinationName());
    boolean hasRoom = links.size() < MOST_LINKS || links.containsKey(link);
    links.merge(hasRoom ? link : OTHERS, more, OfLink::plus);
  }

  /** Counts the start of an attempt. */
  void began(Task task) {
    add(task, new OfLink(1, 0, 0, Map.of()));
  }

  void moved(Task task, long bytes) {
    if (bytes > 0) {
      add(task, new OfLink(0, 0, bytes, Map.of()));
    }
  }

  /** Counts the end of an attempt, and possibly of its task. */
  void ended(Task task) {
    TaskState state = task.state();
    add(
        task,
        state.hasEnded()
            ? new OfLink(0, 0, 0, Map.of(state, 1L))
            : new OfLink(0, state == TaskState.RETRYING ? 1 : 0, 0, Map.of()));
  }

  public synchronized Map<Link, OfLink> all() {
    return new TreeMap<>(links);
  }
}
