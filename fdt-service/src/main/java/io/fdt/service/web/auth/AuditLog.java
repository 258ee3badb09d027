package io.fdt.service.web.auth;

import io.fdt.core.error.FdtException;
import io.fdt.service.store.StoreException;
import io.fdt.service.store.access.AuditStore;
import io.fdt.service.value.Fault;
import io.fdt.service.value.Secrets;
import io.fdt.service.value.ServiceException;
import io.fdt.service.web.http.Call;
import io.fdt.service.web.http.Reply;
import io.fdt.service.web.http.Route;
import java.time.Clock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes changes down, with who asked for them and what came of it. Any thread. */
public final class AuditLog {
  private static final Logger LOG = LoggerFactory.getLogger(AuditLog.class);

  private final AuditStore store;
  private final Clock clock;

  public AuditLog(AuditStore store, Clock clock) {
    this.store = store;
    this.clock = clock;
  }

  /** Refuses what a user may not do. */
  @FunctionalInterface
  public interface Check {
    void run() throws ServiceException;
  }

  /**
   * Carries out a change, after it was written down.
   *
   * @param check comes first: what it refuses never begins
   * @param path of the request
   * @param address from where it came
   */
  public Reply handle(Route route, Check check, Call call, String path, String address)
      throws ServiceException, FdtException, InterruptedException {
    String owner = call.user() == null ? "" : call.user().owner();
    String action = route.method() + " " + route.template();
    AuditStore.Entry entry =
        new AuditStore.Entry(Secrets.id(), clock.millis(), owner, address, action, path, 0, "", 1);
    try {
      check.run();
      store.begin(entry);
      Reply reply = route.handler().handle(call);
      String who = owner.isEmpty() ? reply.user() : owner;
      end(ended(entry, who, reply.status(), location(reply)));
      return reply;
    } catch (ServiceException e) {
      AuditStore.Entry refused = ended(entry, owner, e.fault().status(), e.getMessage());
      if (e.fault().isOfEndpoint()) {
        end(refused); // something may have happened there
      } else {
        write(refused, () -> store.refuse(refused, call.network()));
      }
      throw e;
    } catch (FdtException e) {
      end(ended(entry, owner, Fault.ENDPOINT.status(), e.getMessage()));
      throw e;
    } catch (StoreException e) {
      end(ended(entry, owner, Fault.BUSY.status(), e.getMessage()));
      throw e;
    } catch (RuntimeException e) {
      end(ended(entry, owner, Fault.INTERNAL.status(), e.toString()));
      throw e;
    }
  }

  private static AuditStore.Entry ended(
      AuditStore.Entry entry, String owner, int status, String detail) {
    return new AuditStore.Entry(
        entry.id(),
        entry.at(),
        owner,
        entry.address(),
        entry.action(),
        entry.target(),
        status,
        detail,
        1);
  }

  /** What was made. */
  private static String location(Reply reply) {
    String location = reply.headers().getOrDefault("Location", "");
    return location.startsWith("/api/") ? location : ""; // that of a link is a secret
  }

  private void end(AuditStore.Entry ended) {
    write(ended, () -> store.end(ended));
  }

  private static void write(AuditStore.Entry entry, Runnable writing) {
    try {
      writing.run();
    } catch (StoreException e) {
      LOG.debug(
          "audit={} status={} could not be stored: {}", entry.id(), entry.status(), e.getMessage());
    }
  }
}
