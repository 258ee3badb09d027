package io.fdt.s3;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Threads that wait for requests. */
final class Requests {
  /** Small requests at once: enough for thousands a second over 10 ms. */
  private static final int AT_ONCE = 32;

  private static final int IDLE_SECONDS = 10;

  private Requests() {}

  /** A pool whose threads end while nothing is to be done. */
  static ExecutorService pool(String name) {
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            AT_ONCE,
            AT_ONCE,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            work -> {
              Thread thread = new Thread(work, name);
              thread.setDaemon(true);
              return thread;
            });
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }
}
