package io.fdt.service.web.routes;

import io.fdt.service.store.SettingStore;
import io.fdt.service.store.StoreException;
import io.fdt.service.value.Fault;
import io.fdt.service.value.ServiceException;
import io.fdt.service.web.auth.UserLimits;
import io.fdt.service.web.http.Reply;
import io.fdt.service.web.http.Route;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/** Checks that the database can be written, at most once a second. Any thread. */
public final class Health {
  private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** The longest wait for another request's check. */
  private static final long WAIT_SECONDS = 3;

  private final SettingStore settings;
  private final ReentrantLock lock = new ReentrantLock();
  private long lookedNanos = System.nanoTime() - FRESH_NANOS;
  private String problem = "";

  public Health(SettingStore settings) {
    this.settings = settings;
  }

  public Route route() {
    return Route.get(
        UserLimits.HEALTH,
        null,
        "Check the service and its database: 200, or 503.",
        request -> {
          look();
          return Reply.json(Map.of("status", "up"));
        });
  }

  private void look() throws ServiceException, InterruptedException {
    if (!lock.tryLock(WAIT_SECONDS, TimeUnit.SECONDS)) {
      throw Fault.BUSY.of("the database does not answer");
    }
    try {
      if (System.nanoTime() - lookedNanos >= FRESH_NANOS) {
        problem = "";
        try {
          settings.touch();
        } catch (StoreException e) {
          problem = e.getMessage();
        }
        lookedNanos = System.nanoTime();
      }
      if (!problem.isEmpty()) {
        throw Fault.BUSY.of(problem);
      }
    } finally {
      lock.unlock();
    }
  }
}
