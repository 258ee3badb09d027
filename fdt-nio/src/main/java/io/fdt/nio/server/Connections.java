package io.fdt.nio.server;

import io.fdt.client.FdtClient;
import io.fdt.client.RemoteFiles;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * The control connections of one file system: at most 16, opened on demand, reused, and closed
 * after 30 s to a minute without use. Any thread.
 */
public final class Connections implements AutoCloseable {
  /** The most connections; a server accepts 256 clients by default, half of them from one token. */
  public static final int MOST = 16;

  static final Duration IDLE = Duration.ofSeconds(30);

  /** One thread for all file systems; it ends when there is nothing to close. */
  private static final ScheduledThreadPoolExecutor CLOSER = closer();

  public interface Use<T> {
    T with(RemoteFiles files) throws FdtException, InterruptedException;
  }

  private final FdtClient client;
  private final Semaphore free = new Semaphore(MOST, true);

  // Guarded by this.
  private final IdleStack<RemoteFiles> idle = new IdleStack<>(IDLE);
  private boolean closed;
  private boolean closingPlanned;

  public Connections(FdtClient client) {
    this.client = client;
  }

  private static ScheduledThreadPoolExecutor closer() {
    ScheduledThreadPoolExecutor executor =
        new ScheduledThreadPoolExecutor(
            1,
            work -> {
              Thread thread = new Thread(work, "fdt-nio-idle");
              thread.setDaemon(true);
              return thread;
            });
    executor.setKeepAliveTime(1, TimeUnit.SECONDS);
    executor.allowCoreThreadTimeOut(true);
    executor.setRemoveOnCancelPolicy(true);
    return executor;
  }

  /**
   * Runs a request on a connection of its own. Blocks while all are in use.
   *
   * @param repeatable whether it can be repeated when an idle connection turns out to be broken
   */
  public <T> T call(boolean repeatable, Use<T> use) throws FdtException, InterruptedException {
    free.acquire();
    try {
      RemoteFiles files = take();
      boolean waited = files.isConnected();
      try {
        return use.with(files);
      } catch (FdtException e) {
        if (!waited || !repeatable || e.code() != ErrorCode.UNREACHABLE) {
          throw e;
        }
        return use.with(files); // on a new connection
      } finally {
        give(files);
      }
    } finally {
      free.release();
    }
  }

  private synchronized RemoteFiles take() {
    RemoteFiles files = idle.pop();
    return files == null ? client.files() : files;
  }

  private void give(RemoteFiles files) {
    synchronized (this) {
      if (!closed && files.isConnected()) {
        idle.push(files, System.nanoTime());
        planClosing();
        return;
      }
    }
    files.close();
  }

  /** Schedules the next closing, one at a time. Under the lock of this. */
  private void planClosing() {
    if (!closingPlanned && idle.size() > 0) {
      closingPlanned = true;
      CLOSER.schedule(this::closeExpired, IDLE.toMillis() + 1, TimeUnit.MILLISECONDS);
    }
  }

  private void closeExpired() {
    List<RemoteFiles> expired;
    synchronized (this) {
      closingPlanned = false;
      expired = idle.expired(System.nanoTime());
      planClosing();
    }
    expired.forEach(RemoteFiles::close);
  }

  /** Closes idle connections now, and others when they are returned. Idempotent. */
  @Override
  public void close() {
    List<RemoteFiles> all;
    synchronized (this) {
      closed = true;
      all = idle.all();
    }
    all.forEach(RemoteFiles::close);
  }
}
