package io.fdt.service.run;

import io.fdt.service.mail.MailServer;
import io.fdt.service.store.DatabaseClock;
import io.fdt.service.store.Outbox;
import io.fdt.service.store.StoreException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Periodic jobs: timers, notices, checks, cleaning. Any thread. */
public final class Chores implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Chores.class);
  private static final long TICK_MILLIS = 1000;
  private static final long LINK_MILLIS = 5000;
  private static final long IDLE_MILLIS = 30_000;
  private static final long CLEAN_MILLIS = 600_000;

  /** The most old tasks removed in one transaction. */
  private static final int BATCH = 100;

  private static final int MOST_BATCHES = 1000;

  /** How long the audit log is kept. */
  private static final Duration AUDIT_LIFE = Duration.ofDays(400);

  /** The most entries of the audit log of one user; about 40 MB. */
  private static final long AUDIT_OF_USER = 100_000;

  /** The same for all users; about 400 MB. */
  private static final long AUDIT_OF_ALL = 1_000_000;

  private final ScheduledExecutorService threads =
      Executors.newScheduledThreadPool(
          4,
          task -> {
            Thread thread = new Thread(task, "fdt-service-chores");
            thread.setDaemon(true);
            return thread;
          });
  private final Services services;
  private final LinkPaces links;
  private final Optional<MailServer> mail;
  private final Duration keepTasks;
  private final boolean isShared;
  private final Timers timers;
  private final Webhooks webhooks;
  private final Elsewhere elsewhere;
  private final EndpointWatch watch;

  /**
   * @param keepTasks how long ended tasks are kept
   * @param isShared whether other processes use the database
   */
  public Chores(
      Services services,
      LinkPaces links,
      Optional<MailServer> mail,
      Duration keepTasks,
      boolean isShared) {
    this.services = services;
    this.links = links;
    this.mail = mail;
    this.keepTasks = keepTasks;
    this.isShared = isShared;
    this.timers =
        new Timers(
            services.stores().timers(),
            services.stores().tasks(),
            services.accounts(),
            services.submission(),
            services.dispatcher(),
            services.clock());
    this.webhooks =
        new Webhooks(
            services.stores().webhooks(),
            services.stores().tasks(),
            services.vault(),
            services.endpoints(),
            services.clock());
    this.elsewhere = new Elsewhere(services.stores().claims(), services.live());
    this.watch =
        new EndpointWatch(
            services.stores().endpoints(),
            endpoint -> services.endpoints().health(endpoint, services.clock()),
            services.clock());
  }

  /** Starts the jobs. Once. */
  public void start() {
    every(TICK_MILLIS, timers::tick);
    every(TICK_MILLIS, notices(Outbox.Channel.WEBHOOK, webhooks, Webhooks.LIMITS)::tick);
    mail.map(
            server ->
                new Mails(
                    server,
                    services.stores().emails(),
                    services.stores().tasks(),
                    services.vault(),
                    services.clock()))
        .map(mails -> notices(Outbox.Channel.EMAIL, mails, Mails.LIMITS))
        .ifPresent(mails -> every(TICK_MILLIS, mails::tick));
    every(LINK_MILLIS, links::tick);
    every(TICK_MILLIS, watch::tick);
    every(IDLE_MILLIS, services.endpoints()::sweep);
    every(CLEAN_MILLIS, this::clean);
    if (services.clock() instanceof DatabaseClock shared) {
      every(TICK_MILLIS, shared::look);
    }
    if (isShared) {
      every(TICK_MILLIS, elsewhere::tick);
    }
  }

  private Notices notices(Outbox.Channel channel, Notices.Sender sender, Notices.Limits limits) {
    return new Notices(services.stores().outbox(), channel, sender, limits, services.clock());
  }

  private void clean() {
    long oldest = services.clock().millis() - keepTasks.toMillis();
    for (int i = 0; i < MOST_BATCHES; i++) {
      if (services.stores().tasks().removeEnded(oldest, BATCH) < BATCH) {
        break;
      }
    }
    services.audit().removeBefore(services.clock().millis() - AUDIT_LIFE.toMillis());
    int removed = services.audit().trim(AUDIT_OF_USER, AUDIT_OF_ALL);
    if (removed > 0) {
      LOG.warn("audit entries removed, too many: the oldest count={}", removed);
    }
  }

  @FunctionalInterface
  private interface Chore {
    void run() throws InterruptedException;
  }

  private void every(long millis, Chore chore) {
    threads.scheduleWithFixedDelay(
        () -> {
          try {
            chore.run();
          } catch (StoreException e) {
            LOG.debug("later: {}", e.getMessage()); // the database has said it once
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          } catch (RuntimeException e) { // an exception would end the ticks
            LOG.error("defect of a chore", e);
          }
        },
        0,
        millis,
        TimeUnit.MILLISECONDS);
  }

  /** Stops; unfinished deliveries are repeated after the next start. Idempotent. */
  @Override
  public void close() {
    threads.shutdownNow();
    watch.close();
    webhooks.close();
  }
}
