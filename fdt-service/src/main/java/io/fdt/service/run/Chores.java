package io.fdt.service.run;

import io.fdt.service.store.StoreException;
import io.fdt.service.store.TaskStore;
import io.fdt.service.store.TimerStore;
import io.fdt.service.store.Vault;
import io.fdt.service.store.WebhookStore;
import java.time.Clock;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the service does once a second: timers on one thread, webhooks on another. Any thread. */
public final class Chores implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Chores.class);
  private static final long TICK_MILLIS = 1000;

  private final ScheduledExecutorService threads =
      Executors.newScheduledThreadPool(
          2,
          task -> {
            Thread thread = new Thread(task, "fdt-service-chores");
            thread.setDaemon(true);
            return thread;
          });
  private final Timers timers;
  private final Webhooks webhooks;

  /** What the chores work on. */
  public record Parts(
      TimerStore timers,
      WebhookStore webhooks,
      TaskStore tasks,
      Submission submission,
      Dispatcher dispatcher,
      Vault vault,
      AddressRule rule,
      Clock clock) {}

  public Chores(Parts parts) {
    this.timers =
        new Timers(
            parts.timers(), parts.tasks(), parts.submission(), parts.dispatcher(), parts.clock());
    this.webhooks =
        new Webhooks(parts.webhooks(), parts.tasks(), parts.vault(), parts.rule(), parts.clock());
  }

  /** Begins. Once. */
  public void start() {
    every(timers::tick);
    every(webhooks::tick);
  }

  /** Something that is done again and again. */
  @FunctionalInterface
  private interface Chore {
    void run() throws InterruptedException;
  }

  private void every(Chore chore) {
    threads.scheduleWithFixedDelay(
        () -> {
          try {
            chore.run();
          } catch (StoreException e) {
            LOG.warn("later: {}", e.getMessage());
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          } catch (RuntimeException e) { // an exception would end the ticks
            LOG.error("a defect", e);
          }
        },
        0,
        TICK_MILLIS,
        TimeUnit.MILLISECONDS);
  }

  /** Ends; what is being delivered is delivered again after the next start. Idempotent. */
  @Override
  public void close() {
    threads.shutdownNow();
  }
}
