package io.fdt.service.run;

import io.fdt.service.store.Endpoint;
import io.fdt.service.store.EndpointStore;
import io.fdt.service.store.StoreException;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks each endpoint periodically, and records whether it is usable: at the start, then every
 * five minutes, and every 30 s while it is not. Only one of several processes checks an endpoint.
 * Ticks are confined to one thread; checks have separate threads.
 */
final class EndpointWatch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(EndpointWatch.class);

  /** The most concurrent checks; each may wait for a server that does not answer. */
  private static final int LOOKS_AT_ONCE = 8;

  /**
   * The most concurrent checks for one user, so that slow endpoints of one user do not delay all
   * others.
   */
  private static final int LOOKS_OF_A_USER = 2;

  private final EndpointStore store;
  private final Look look;
  private final Clock clock;
  private final long start;
  private boolean hasBegun;
  private final Map<String, Integer> looks = new ConcurrentHashMap<>();
  private final Semaphore free = new Semaphore(LOOKS_AT_ONCE);
  private final ExecutorService threads =
      Executors.newFixedThreadPool(
          LOOKS_AT_ONCE,
          task -> {
            Thread thread = new Thread(task, "fdt-service-watch");
            thread.setDaemon(true);
            return thread;
          });

  /** Checks that an endpoint is usable. */
  @FunctionalInterface
  interface Look {
    Endpoint.Health at(Endpoint endpoint) throws InterruptedException;
  }

  EndpointWatch(EndpointStore store, Look look, Clock clock) {
    this.store = store;
    this.look = look;
    this.clock = clock;
    this.start = clock.millis();
  }

  /** Begins the due checks, as far as threads are free. */
  void tick() {
    if (!hasBegun) {
      store.lookAgain(start);
      hasBegun = true;
    }
    long now = clock.millis();
    for (Endpoint endpoint : store.due(now, free.availablePermits(), busy())) {
      if (!busy().contains(endpoint.owner()) && store.claimLook(endpoint, now)) {
        begin(endpoint);
      }
    }
  }

  /** Users at the limit of concurrent checks. */
  private List<String> busy() {
    return looks.entrySet().stream()
        .filter(look -> look.getValue() >= LOOKS_OF_A_USER)
        .map(Map.Entry::getKey)
        .toList();
  }

  private void begin(Endpoint endpoint) {
    free.acquireUninterruptibly(); // only this thread takes some, and there was one
    looks.merge(endpoint.owner(), 1, Integer::sum);
    try {
      threads.execute(() -> lookAt(endpoint));
    } catch (RejectedExecutionException e) {
      LOG.debug("closing");
    }
  }

  private void lookAt(Endpoint endpoint) {
    try {
      Endpoint.Health health = look.at(endpoint);
      String problem = health.problem();
      if (problem.isEmpty() != endpoint.health().problem().isEmpty()) {
        LOG.info(
            "endpoint changed endpoint={} usable={} reason={}",
            endpoint.id(),
            problem.isEmpty(),
            problem);
      }
      store.note(endpoint, health);
    } catch (StoreException e) {
      LOG.debug("later: {}", e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      LOG.error("defect while endpoints are checked", e);
    } finally {
      looks.computeIfPresent(endpoint.owner(), (owner, count) -> count == 1 ? null : count - 1);
      free.release();
    }
  }

  /** Ends the checks. Idempotent. */
  @Override
  public void close() {
    threads.shutdownNow();
  }
}
