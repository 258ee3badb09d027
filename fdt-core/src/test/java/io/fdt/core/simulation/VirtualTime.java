package io.fdt.core.simulation;

import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.Random;

/** The clock of a simulation, and everything that is still to happen in it. Not thread-safe. */
final class VirtualTime {
  /** The unit of time here. */
  static final long UNIT_NANOS = 100_000;

  private record Event(long time, long number, Runnable action) {}

  private final Random random;
  private final PriorityQueue<Event> events =
      new PriorityQueue<>(Comparator.comparingLong(Event::time).thenComparingLong(Event::number));
  private long now;
  private long planned;
  private long steps;

  VirtualTime(Random random) {
    this.random = random;
  }

  long nanos() {
    return now * UNIT_NANOS;
  }

  /** Has something happen after a random time from 1 to {@code longest} units. */
  void within(long longest, Runnable action) {
    at(now + 1 + random.nextInt(Math.toIntExact(longest)), action);
  }

  /** Has something happen after a time. */
  void after(long nanos, Runnable action) {
    at(now + Math.max(1, nanos / UNIT_NANOS), action);
  }

  private void at(long time, Runnable action) {
    events.add(new Event(time, planned++, action));
  }

  /** Lets the next event happen; false when there is none. */
  boolean step() {
    Event event = events.poll();
    if (event == null) {
      return false;
    }
    now = event.time();
    steps++;
    event.action().run();
    return true;
  }

  long steps() {
    return steps;
  }

  /** A path on which nothing overtakes anything, however long each thing takes. */
  final class Queue {
    private final long longest;
    private long last;

    Queue(long longest) {
      this.longest = longest;
    }

    void add(Runnable action) {
      last = Math.max(last, now + 1 + random.nextInt(Math.toIntExact(longest)));
      at(last, action);
    }
  }
}
