package io.fdt.server.limits;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The threads of a server that may block, apart from those of its sessions. Thread-safe. */
public final class ServerThreads {
  private static final Logger LOG = LoggerFactory.getLogger(ServerThreads.class);
  private static final long IDLE_SECONDS = 5;

  /** The most ended transfers whose filters run concurrently; others wait. */
  private static final int FILTER_THREADS = 4;

  private final ExecutorService requests;
  private final ExecutorService afterwards = threads("fdt-server-filter", FILTER_THREADS);

  /**
   * @param clients the most clients, each with one request at a time
   */
  public ServerThreads(int clients) {
    this.requests = threads("fdt-server-request", clients);
  }

  private static ExecutorService threads(String name, int most) {
    ThreadPoolExecutor threads =
        new ThreadPoolExecutor(
            most,
            most,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            work -> {
              Thread thread = new Thread(work, name);
              thread.setDaemon(true);
              return thread;
            });
    threads.allowCoreThreadTimeOut(true);
    return threads;
  }

  /** The threads for requests of clients. */
  public Executor requests() {
    return requests;
  }

  /** The threads for filters of ended transfers. */
  public Executor afterwards() {
    return afterwards;
  }

  /**
   * Aborts requests, and waits for filters.
   *
   * @param filterDeadline the longest wait
   */
  public void close(Duration filterDeadline) {
    requests.shutdownNow();
    afterwards.shutdown();
    try {
      if (!afterwards.awaitTermination(filterDeadline.toNanos(), TimeUnit.NANOSECONDS)) {
        LOG.warn("filters did not end within seconds={}", filterDeadline.toSeconds());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    afterwards.shutdownNow();
  }
}
