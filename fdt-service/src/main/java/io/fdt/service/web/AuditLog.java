package io.fdt.service.web;

import io.fdt.core.error.FdtException;
import io.fdt.service.store.AuditStore;
import io.fdt.service.store.StoreException;
import io.fdt.service.value.Secrets;
import io.fdt.service.value.ServiceException;
import java.time.Clock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes changes down, with who asked for them and what came of it. Any thread. */
final class AuditLog {
  private static final Logger LOG = LoggerFactory.getLogger(AuditLog.class);
  private static final int MOST_DETAIL = 500;

  private final AuditStore store;
  private final Clock clock;

  AuditLog(AuditStore store, Clock clock) {
    this.store = store;
    this.clock = clock;
  }

  /**
   * Carries out a change, after it was written down.
   *
   * @param handler carries it out, or refuses it
   * @param path of the request
   * @param address from where it came
   */
  Reply handle(Route route, Route.Handler handler, Call call, String path, String address)
      throws ServiceException, FdtException, InterruptedException {
    String owner = call.user() == null ? "" : call.user().owner();
    String id = Secrets.id();
    String action = route.method() + " " + route.template();
    store.begin(new AuditStore.Entry(id, clock.millis(), owner, address, action, path, 0, ""));
    try {
      Reply reply = handler.handle(call);
      end(id, owner.isEmpty() ? reply.user() : owner, reply.status(), location(reply));
      return reply;
    } catch (ServiceException e) {
      end(id, owner, e.fault().status(), e.getMessage());
      throw e;
    } catch (FdtException e) {
      end(id, owner, 422, e.getMessage());
      throw e;
    } catch (RuntimeException e) {
      end(id, owner, 500, e.toString());
      throw e;
    }
  }

  /** What was made. */
  private static String location(Reply reply) {
    String location = reply.headers().getOrDefault("Location", "");
    return location.startsWith("/api/") ? location : ""; // that of a link is a secret
  }

  private void end(String id, String owner, int status, String detail) {
    try {
      String text = detail.length() > MOST_DETAIL ? detail.substring(0, MOST_DETAIL) : detail;
      store.end(id, owner, status, text);
    } catch (StoreException e) {
      LOG.warn("audit={} status={} could not be stored: {}", id, status, e.getMessage());
    }
  }
}
