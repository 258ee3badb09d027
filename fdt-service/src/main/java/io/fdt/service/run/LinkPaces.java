package io.fdt.service.run;

import io.fdt.service.store.LinkStore;
import io.fdt.service.store.LinkStore.Link;
import io.fdt.service.task.LinkPace;
import io.fdt.service.task.Outcome;
import io.fdt.service.task.Scheduler;
import io.fdt.service.task.Task;
import java.time.Clock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Measures the rates of this process's tasks on each link, and decides how many may run there at
 * once. Results are stored every few seconds, so a killed process loses only the last ones. Any
 * thread.
 */
public final class LinkPaces {
  private final LinkStore store;
  private final Clock clock;
  private final Map<Link, Seen> seen = new HashMap<>();
  private Map<Link, LinkPace> known = Map.of();

  private static final class Seen {
    long bytes;
    int succeeded;
    int failed;
    int mostRunning;
  }

  public LinkPaces(LinkStore store, Clock clock) {
    this.store = store;
    this.clock = clock;
  }

  private static Link link(Task task) {
    return new Link(task.work().source(), task.work().destination());
  }

  private Seen of(Link link) {
    return seen.computeIfAbsent(link, any -> new Seen());
  }

  synchronized void moved(Task task, long bytes) {
    if (!task.work().destination().isEmpty() && bytes > 0) {
      of(link(task)).bytes += bytes;
    }
  }

  /** Records the end of an attempt; errors of the user do not count for the link. */
  synchronized void ended(Task task, Outcome outcome) {
    if (task.work().destination().isEmpty()) {
      return;
    }
    if (outcome.end() == Outcome.End.SUCCEEDED) {
      of(link(task)).succeeded++;
    } else if (outcome.end() == Outcome.End.FAULT) {
      of(link(task)).failed++;
    }
  }

  /** Records running tasks while others wait. */
  synchronized void running(List<Scheduler.Candidate> waiting, List<Scheduler.Candidate> running) {
    Map<Link, Integer> counts = new HashMap<>();
    for (Scheduler.Candidate one : running) {
      counts.merge(new Link(one.source(), one.destination()), 1, Integer::sum);
    }
    for (Scheduler.Candidate one : waiting) {
      Link link = new Link(one.source(), one.destination());
      int count = counts.getOrDefault(link, 0);
      if (count > 0 && !one.destination().isEmpty()) {
        of(link).mostRunning = Math.max(of(link).mostRunning, count);
      }
    }
  }

  /** The most concurrent tasks from one endpoint to another. */
  synchronized int places(String source, String destination) {
    LinkPace pace = known.get(new Link(source, destination));
    return destination.isEmpty()
        ? Integer.MAX_VALUE
        : pace == null ? LinkPace.FIRST : pace.places();
  }

  /** Stores the measurements, and reads those of other processes. */
  void tick() {
    Map<Link, Seen> taken;
    synchronized (this) {
      taken = new HashMap<>(seen);
      seen.clear();
    }
    long now = clock.millis();
    taken.forEach(
        (link, one) ->
            store.change(
                link,
                now,
                pace -> {
                  LinkPace next = pace.moved(one.bytes, one.mostRunning);
                  for (int i = 0; i < one.succeeded; i++) {
                    next = next.ended(true);
                  }
                  for (int i = 0; i < one.failed; i++) {
                    next = next.ended(false);
                  }
                  return next.look(now);
                }));
    Map<Link, LinkPace> all = store.all();
    synchronized (this) {
      known = all;
    }
  }
}
