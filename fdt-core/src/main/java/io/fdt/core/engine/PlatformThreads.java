package io.fdt.core.engine;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Daemon threads of the JVM: those that wait for work end after five seconds without any. */
public final class PlatformThreads implements TransferThreads {
  /** Has no state. */
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

  private static Thread daemon(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    return thread;
  }
}
