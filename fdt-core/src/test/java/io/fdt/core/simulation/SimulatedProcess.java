package io.fdt.core.simulation;

import io.fdt.core.engine.DiskWorkers;
import io.fdt.core.engine.HostThreads;
import io.fdt.core.storage.DiskId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * A process in virtual time: its event loops, its disks, and its threads, of which one runs at a
 * time. It can be stopped for a while, and it can die at any moment. Code of production runs in it
 * as it is.
 */
public final class SimulatedProcess implements HostThreads {
  private static final int LONGEST_START = 3;

  private static final long LONGEST_WORK_NANOS = 40 * VirtualTime.UNIT_NANOS;

  /** As long as threads of the JVM are waited for. */
  private static final long LONGEST_END_NANOS = TimeUnit.SECONDS.toNanos(10);

  final VirtualTime time;
  private final Random random;
  private final VirtualHost host;
  private final VirtualLoop loops;
  private final List<VirtualThread> threads = new ArrayList<>();

  public SimulatedProcess(VirtualTime time, Random random) {
    this.time = time;
    this.random = random;
    this.host = new VirtualHost(time, random);
    this.loops = VirtualLoop.two(this);
  }

  /** Its event loops, which take turns. */
  public VirtualLoop loops() {
    return loops;
  }

  /**
   * Ends it between two things that it does. Its connections stay as they are.
   *
   * @return the work that its disks were in the middle of
   */
  public List<Runnable> die() {
    List<Runnable> onDisks = host.die();
    List.copyOf(threads).forEach(VirtualThread::kill);
    return onDisks;
  }

  public boolean isDead() {
    return host.isDead();
  }

  /** Nothing happens in it until {@link #goOn}; its peers are not told. */
  public void stop() {
    host.stop();
  }

  public void goOn() {
    host.goOn();
  }

  /** The same task, which does nothing once the process is dead, and waits while it is stopped. */
  Runnable alive(Runnable task) {
    return host.alive(task);
  }

  void ended(VirtualThread thread) {
    threads.remove(thread);
  }

  @Override
  public Started start(String name, Runnable work) {
    VirtualThread thread = new VirtualThread(this, name, work);
    threads.add(thread);
    time.within(LONGEST_START, alive(thread::resume));
    return thread;
  }

  @Override
  public Started current() {
    return VirtualThread.current();
  }

  @Override
  public long nanoTime() {
    return time.nanos();
  }

  private boolean await(BooleanSupplier condition, long nanos) throws InterruptedException {
    return VirtualThread.current().await(condition, nanos);
  }

  @Override
  public void sleep(long nanos) throws InterruptedException {
    await(() -> false, nanos);
  }

  @Override
  public <T> T get(CompletableFuture<T> result) throws InterruptedException, ExecutionException {
    await(result::isDone, Long.MAX_VALUE);
    return result.get();
  }

  @Override
  public <T> T poll(BlockingQueue<T> queue, long nanos) throws InterruptedException {
    await(() -> !queue.isEmpty(), nanos);
    return queue.poll();
  }

  @Override
  public long random(long bound) {
    return random.nextInt(Math.toIntExact(Math.min(bound, Integer.MAX_VALUE)));
  }

  @Override
  public DiskWorkers ofDisks(String name, int threadsPerDisk) {
    VirtualHost.Workers workers = host.ofDisks(name, threadsPerDisk);
    return new Disks(workers);
  }

  @Override
  public SerialWorker oneByOne(String name) {
    return new OneByOne(name);
  }

  @Override
  public void run(String name, Runnable work) {
    start(name, work);
  }

  /** Does one thing after another, each after a while. */
  private final class OneByOne implements SerialWorker {
    private final String name;
    private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();
    private final long longestNanos = 1 + random(LONGEST_WORK_NANOS);
    private boolean busy;

    OneByOne(String name) {
      this.name = name;
    }

    @Override
    public void execute(Runnable work) {
      waiting.add(work);
      if (!busy) {
        busy = true;
        start(name, this::work);
      }
    }

    private void work() {
      try {
        while (!waiting.isEmpty()) {
          sleep(random(longestNanos));
          waiting.remove().run();
        }
      } catch (InterruptedException e) {
        throw new AssertionError("nobody interrupts it", e);
      } finally {
        busy = false;
      }
    }

    @Override
    public void shutdown() {}
  }

  /** Workers of disks that can be waited for. */
  private final class Disks implements DiskWorkers {
    private final VirtualHost.Workers workers;

    Disks(VirtualHost.Workers workers) {
      this.workers = workers;
    }

    @Override
    public int threadsPerDisk() {
      return workers.threadsPerDisk();
    }

    @Override
    public void setThreadsPerDisk(int count) {
      workers.setThreadsPerDisk(count);
    }

    @Override
    public void submit(DiskId disk, Runnable work) {
      workers.submit(disk, work);
    }

    @Override
    public double busiest(long nowNanos) {
      return workers.busiest(nowNanos);
    }

    @Override
    public void close() {
      workers.close();
    }

    @Override
    public void awaitEnd() {
      try {
        await(workers::isIdle, LONGEST_END_NANOS);
      } catch (InterruptedException e) {
        throw new AssertionError("nobody interrupts it", e);
      }
    }
  }
}
