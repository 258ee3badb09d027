package io.fdt.core.engine;

import io.fdt.core.placement.Placement;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Daemon threads of the JVM; idle ones end after 5 s. */
public final class PlatformThreads implements HostThreads {
  /** The stateless instance. */
  public static final PlatformThreads INSTANCE = new PlatformThreads();

  private static final long IDLE_SECONDS = 5;

  private PlatformThreads() {}

  @Override
  public DiskWorkers ofDisks(String name, int threadsPerDisk) {
    return new DiskScheduler(name, threadsPerDisk);
  }

  @Override
  public SerialWorker oneByOne(String name) {
    ThreadPoolExecutor executor =
        new ThreadPoolExecutor(
            1,
            1,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            work -> daemon(name, work));
    executor.allowCoreThreadTimeOut(true);
    return new SerialWorker() {
      @Override
      public void execute(Runnable work) {
        executor.execute(work);
      }

      @Override
      public void shutdown() {
        executor.shutdown();
      }
    };
  }

  @Override
  public void run(String name, Runnable work) {
    daemon(name, work).start();
  }

  @Override
  public Started start(String name, Runnable work) {
    Thread thread = daemon(name, work);
    thread.start();
    return thread::interrupt;
  }

  @Override
  public Started current() {
    return Thread.currentThread()::interrupt;
  }

  @Override
  public long nanoTime() {
    return System.nanoTime();
  }

  @Override
  public void sleep(long nanos) throws InterruptedException {
    TimeUnit.NANOSECONDS.sleep(nanos);
  }

  @Override
  public <T> T get(CompletableFuture<T> result) throws InterruptedException, ExecutionException {
    return result.get();
  }

  @Override
  public <T> T poll(BlockingQueue<T> queue, long nanos) throws InterruptedException {
    return queue.poll(nanos, TimeUnit.NANOSECONDS);
  }

  @Override
  public long random(long bound) {
    return ThreadLocalRandom.current().nextLong(bound);
  }

  private static Thread daemon(String name, Runnable work) {
    Runnable placed =
        () -> {
          Placement.ofProcess().ofOther();
          work.run();
        };
    Thread thread = new Thread(placed, name);
    thread.setDaemon(true);
    return thread;
  }
}
