package io.fdt.core.simulation;

import io.fdt.core.engine.DiskWorkers;
import io.fdt.core.engine.SessionLoop;
import io.fdt.core.engine.TransferThreads;
import io.fdt.core.storage.DiskId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * A machine in virtual time: the loop of a session and the threads of its disks, each of which
 * takes random times. It can die at any moment.
 */
final class VirtualHost implements SessionLoop, TransferThreads {
  private static final int LONGEST_POST = 3;
  private static final int LONGEST_WORK = 40;

  private final VirtualTime time;
  private final Random random;
  private final VirtualTime.Queue posts;
  private final List<Runnable> onDisks = new ArrayList<>();
  private final ArrayDeque<Runnable> held = new ArrayDeque<>();
  private boolean dead;
  private boolean stopped;

  VirtualHost(VirtualTime time, Random random) {
    this.time = time;
    this.random = random;
    this.posts = time.new Queue(LONGEST_POST);
  }

  /** Nothing happens here any more; returns the work that disks were in the middle of. */
  List<Runnable> die() {
    dead = true;
    return List.copyOf(onDisks);
  }

  boolean isDead() {
    return dead;
  }

  /** Nothing happens here until {@link #goOn}. */
  void stop() {
    stopped = true;
  }

  /** What should have happened meanwhile happens now, in order. */
  void goOn() {
    time.within(
        LONGEST_POST,
        () -> {
          while (!held.isEmpty() && !dead) {
            held.remove().run();
          }
          stopped = false;
        });
  }

  Runnable alive(Runnable task) {
    return () -> {
      if (dead) {
        return;
      }
      if (stopped) {
        held.add(task);
      } else {
        task.run();
      }
    };
  }

  @Override
  public void post(Runnable task) {
    posts.add(alive(task));
  }

  @Override
  public void run(Runnable task) {
    alive(task).run();
  }

  @Override
  public void after(long nanos, Runnable task) {
    time.after(nanos, alive(task));
  }

  @Override
  public void fail(String what, Throwable thrown) {
    throw new AssertionError(what, thrown);
  }

  @Override
  public long nanoTime() {
    return time.nanos();
  }

  @Override
  public Workers ofDisks(String name, int threadsPerDisk) {
    return new Workers(threadsPerDisk);
  }

  @Override
  public SerialWorker oneByOne(String name) {
    VirtualTime.Queue queue = time.new Queue(1 + random.nextInt(LONGEST_WORK));
    return new SerialWorker() {
      @Override
      public void execute(Runnable work) {
        queue.add(alive(work));
      }

      @Override
      public void shutdown() {}
    };
  }

  @Override
  public void run(String name, Runnable work) {
    time.within(LONGEST_WORK, alive(work));
  }

  /** Workers of disks: so many things at once for each, in the order in which they came. */
  final class Workers implements DiskWorkers {
    private final Map<DiskId, ArrayDeque<Runnable>> waiting = new HashMap<>();
    private final Map<DiskId, Integer> busy = new HashMap<>();
    private int perDisk;
    private boolean closed;

    Workers(int perDisk) {
      this.perDisk = perDisk;
    }

    /** Whether nothing is done, and nothing waits to be done. */
    boolean isIdle() {
      return busy.values().stream().allMatch(count -> count == 0)
          && waiting.values().stream().allMatch(ArrayDeque::isEmpty);
    }

    @Override
    public int threadsPerDisk() {
      return perDisk;
    }

    @Override
    public void setThreadsPerDisk(int count) {
      perDisk = count;
    }

    @Override
    public void submit(DiskId disk, Runnable work) {
      if (!closed) {
        waiting.computeIfAbsent(disk, d -> new ArrayDeque<>()).add(work);
        begin(disk);
      }
    }

    private void begin(DiskId disk) {
      ArrayDeque<Runnable> queue = waiting.get(disk);
      while (!queue.isEmpty() && busy.getOrDefault(disk, 0) < perDisk) {
        busy.merge(disk, 1, Integer::sum);
        Runnable work = queue.poll();
        onDisks.add(work);
        time.within(
            LONGEST_WORK,
            alive(
                () -> {
                  onDisks.remove(work);
                  work.run();
                  busy.merge(disk, -1, Integer::sum);
                  begin(disk);
                }));
      }
    }

    @Override
    public double busiest(long nowNanos) {
      return 0;
    }

    @Override
    public void close() {
      closed = true;
    }

    @Override
    public void awaitEnd() {}
  }
}
