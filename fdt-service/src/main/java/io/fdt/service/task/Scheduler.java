package io.fdt.service.task;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.function.Predicate;
import java.util.function.ToIntBiFunction;
import java.util.function.ToIntFunction;

/**
 * Chooses which waiting tasks start now. Fair among users: the user with the fewest running tasks
 * is next; among those, the one whose task waits longest. A user's own tasks start by priority,
 * then by age. Pure.
 */
public final class Scheduler {
  private final int mostRunning;
  private final int mostPerUser;

  /**
   * A scheduler with these limits.
   *
   * @param mostRunning tasks that run at once
   * @param mostPerUser tasks of one user that run at once
   */
  public Scheduler(int mostRunning, int mostPerUser) {
    this.mostRunning = mostRunning;
    this.mostPerUser = mostPerUser;
  }

  /**
   * A task that waits or runs.
   *
   * @param destination the id of an endpoint; empty for none
   * @param created milliseconds since 1970
   */
  public record Candidate(
      String id, String owner, int priority, long created, String source, String destination) {}

  /**
   * The tasks to start, in order.
   *
   * @param mostAtEndpoint the most concurrent tasks of an endpoint, by its id
   */
  public List<Candidate> choose(
      List<Candidate> waiting, List<Candidate> running, ToIntFunction<String> mostAtEndpoint) {
    return choose(waiting, running, mostAtEndpoint, (source, destination) -> Integer.MAX_VALUE);
  }

  /**
   * The tasks to start, in order, with limits for links.
   *
   * @param mostOnLink the most concurrent tasks from one endpoint to another, by their ids
   */
  public List<Candidate> choose(
      List<Candidate> waiting,
      List<Candidate> running,
      ToIntFunction<String> mostAtEndpoint,
      ToIntBiFunction<String, String> mostOnLink) {
    Map<List<String>, Integer> onLink = new HashMap<>();
    running.forEach(task -> onLink.merge(link(task), 1, Integer::sum));
    Map<String, Integer> ofUser = new HashMap<>();
    Map<String, Integer> atEndpoint = new HashMap<>();
    running.forEach(task -> count(task, ofUser, atEndpoint));
    Map<String, List<Candidate>> queues = new HashMap<>();
    waiting.forEach(task -> queues.computeIfAbsent(task.owner(), o -> new ArrayList<>()).add(task));
    Comparator<Candidate> order =
        Comparator.comparingInt(Candidate::priority)
            .reversed()
            .thenComparingLong(Candidate::created)
            .thenComparing(Candidate::id);
    PriorityQueue<Queue> users =
        new PriorityQueue<>(
            Comparator.comparingInt((Queue queue) -> ofUser.getOrDefault(queue.owner, 0))
                .thenComparingLong(queue -> queue.oldest)
                .thenComparing(queue -> queue.owner));
    queues.forEach(
        (owner, tasks) -> {
          tasks.sort(order);
          users.add(new Queue(owner, tasks));
        });
    List<Candidate> chosen = new ArrayList<>();
    while (!users.isEmpty() && running.size() + chosen.size() < mostRunning) {
      Queue user = users.poll();
      if (ofUser.getOrDefault(user.owner, 0) >= mostPerUser) {
        continue;
      }
      Candidate next =
          user.next(
              task ->
                  fits(task, atEndpoint, mostAtEndpoint)
                      && onLink.getOrDefault(link(task), 0)
                          < mostOnLink.applyAsInt(task.source(), task.destination()));
      if (next != null) {
        chosen.add(next);
        count(next, ofUser, atEndpoint);
        onLink.merge(link(next), 1, Integer::sum);
        users.add(user);
      }
    }
    return chosen;
  }

  private static List<String> link(Candidate task) {
    return List.of(task.source(), task.destination());
  }

  private static boolean fits(
      Candidate task, Map<String, Integer> atEndpoint, ToIntFunction<String> mostAtEndpoint) {
    return atEndpoint.getOrDefault(task.source(), 0) < mostAtEndpoint.applyAsInt(task.source())
        && (task.destination().isEmpty()
            || atEndpoint.getOrDefault(task.destination(), 0)
                < mostAtEndpoint.applyAsInt(task.destination()));
  }

  private static void count(
      Candidate task, Map<String, Integer> ofUser, Map<String, Integer> atEndpoint) {
    ofUser.merge(task.owner(), 1, Integer::sum);
    atEndpoint.merge(task.source(), 1, Integer::sum);
    if (!task.destination().isEmpty() && !task.destination().equals(task.source())) {
      atEndpoint.merge(task.destination(), 1, Integer::sum);
    }
  }

  /**
   * The waiting tasks of one user. No place becomes free during a choice, so a task that does not
   * fit is skipped.
   */
  private static final class Queue {
    final String owner;
    final long oldest;
    private final List<Candidate> tasks;
    private int at;

    Queue(String owner, List<Candidate> tasks) {
      this.owner = owner;
      this.tasks = tasks;
      this.oldest = tasks.stream().mapToLong(Candidate::created).min().orElse(0);
    }

    Candidate next(Predicate<Candidate> fits) {
      while (at < tasks.size()) {
        Candidate task = tasks.get(at++);
        if (fits.test(task)) {
          return task;
        }
      }
      return null;
    }
  }
}
