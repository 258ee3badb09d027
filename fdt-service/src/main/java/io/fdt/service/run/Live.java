package io.fdt.service.run;

import io.fdt.service.task.ArrivedFiles;
import io.fdt.service.task.Counts;
import io.fdt.service.task.Task;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * News of tasks for subscribers. A subscriber gets only the latest news of each task, so that a
 * slow one blocks no thread and takes no memory. Any thread.
 */
public final class Live {
  /**
   * The progress of a running task.
   *
   * @param bytesPerSecond recent rate
   * @param streams open data connections
   * @param stalledMillis duration of the current stall
   */
  public record Progress(Counts counts, long bytesPerSecond, int streams, long stalledMillis) {}

  /**
   * News of one task.
   *
   * @param progress empty when it does not run
   */
  public record News(Task task, Optional<Progress> progress) {}

  private final Map<String, News> running = new ConcurrentHashMap<>();
  private final Rates rates = new Rates();
  private final ArrivedFiles arrived = new ArrivedFiles();
  private final Set<Subscription> subscriptions = ConcurrentHashMap.newKeySet();

  public Optional<Progress> progress(String taskId) {
    return Optional.ofNullable(running.get(taskId)).flatMap(News::progress);
  }

  /** The rates of tasks over time. */
  public Rates rates() {
    return rates;
  }

  /** The last files of tasks that arrived. */
  public ArrivedFiles arrived() {
    return arrived;
  }

  /**
   * A task runs here from now on, until {@link #stopped}.
   *
   * @param task as claimed
   * @param newest reads the task again: a change in between was reported before it ran
   * @return the newest version
   */
  Task started(Task task, Supplier<Task> newest) {
    running.put(task.id(), new News(task, Optional.empty()));
    Task read = newer(task, newest.get());
    changed(read);
    return read;
  }

  /**
   * Reports the progress of a task that runs here, with its newest known version: subscribers drop
   * news of older versions.
   */
  void progress(Task task, Progress progress) {
    publish(
        running.merge(
            task.id(),
            new News(task, Optional.of(progress)),
            (before, now) -> new News(newer(before.task(), now.task()), now.progress())));
  }

  private static Task newer(Task one, Task other) {
    return one.version() > other.version() ? one : other;
  }

  void stopped(String taskId) {
    running.remove(taskId);
  }

  public void changed(Task task) {
    News known =
        running.computeIfPresent(
            task.id(), (id, before) -> new News(newer(before.task(), task), before.progress()));
    boolean hasEnded = task.state().hasEnded();
    publish(
        new News(task, known == null || hasEnded ? Optional.<Progress>empty() : known.progress()));
  }

  private void publish(News news) {
    subscriptions.forEach(subscription -> subscription.add(news));
  }

  /** Watches the tasks of a user, or of all when that is empty; the caller closes it. */
  public Subscription subscribe(String owner) {
    Subscription subscription = new Subscription(owner);
    subscriptions.add(subscription);
    return subscription;
  }

  /** A subscriber to the tasks of a user. {@link #await}: one thread. */
  public final class Subscription implements AutoCloseable {
    private final String owner;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();
    private final Map<String, News> waiting = new LinkedHashMap<>();

    private Subscription(String owner) {
      this.owner = owner;
    }

    private void add(News news) {
      if (!owner.isEmpty() && !news.task().owner().equals(owner)) {
        return;
      }
      lock.lock();
      try {
        News before = waiting.get(news.task().id());
        // An older version must not replace a newer one.
        if (before == null || before.task().version() <= news.task().version()) {
          waiting.put(news.task().id(), news);
          arrived.signal();
        }
      } finally {
        lock.unlock();
      }
    }

    /** The latest news; empty when there are none in that time. */
    public List<News> await(long millis) throws InterruptedException {
      lock.lock();
      try {
        long left = TimeUnit.MILLISECONDS.toNanos(millis);
        while (waiting.isEmpty() && left > 0) {
          left = arrived.awaitNanos(left);
        }
        List<News> news = new ArrayList<>(waiting.values());
        waiting.clear();
        return news;
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void close() {
      subscriptions.remove(this);
    }
  }
}
