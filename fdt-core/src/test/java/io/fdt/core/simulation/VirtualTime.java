package io.fdt.core.simulation;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.function.BooleanSupplier;

/** The clock of a simulation, and everything that is still to happen in it. Not thread-safe. */
public final class VirtualTime {
  /** The unit of time here. */
  static final long UNIT_NANOS = 100_000;

  /** From the end of a wait until the thread goes on. */
  private static final long LONGEST_WAKE = 3;

  private record Watch(BooleanSupplier until, Runnable action) {}

  private record Event(long time, long number, Runnable action) {}

  private final Random random;
  private final PriorityQueue<Event> events =
      new PriorityQueue<>(Comparator.comparingLong(Event::time).thenComparingLong(Event::number));
  private final List<Watch> watches = new ArrayList<>();
  private long now;
  private long planned;
  private long steps;

  public VirtualTime(Random random) {
    this.random = random;
  }

  public long nanos() {
    return now * UNIT_NANOS;
  }

  /** Has something happen after a random time from 1 to {@code longest} units. */
  public void within(long longest, Runnable action) {
    at(now + 1 + random.nextInt(Math.toIntExact(longest)), action);
  }

  /** Has something happen after a time. */
  public void after(long nanos, Runnable action) {
    at(now + Math.max(1, nanos / UNIT_NANOS), action);
  }

  /** Has something happen soon after {@code until} has become true. */
  void when(BooleanSupplier until, Runnable action) {
    watches.add(new Watch(until, action));
  }

  private void look() {
    for (Iterator<Watch> all = watches.iterator(); all.hasNext(); ) {
      Watch watch = all.next();
      if (watch.until().getAsBoolean()) {
        all.remove();
        within(LONGEST_WAKE, watch.action());
      }
    }
  }

  private void at(long time, Runnable action) {
    events.add(new Event(time, planned++, action));
  }

  /** Lets the next event happen; false when there is none. */
  public boolean step() {
    Event event = events.poll();
    if (event == null) {
      return false;
    }
    now = event.time();
    steps++;
    event.action().run();
    look();
    return true;
  }

  public long steps() {
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
