package io.fdt.service.web.auth;

import io.fdt.core.error.FdtException;
import io.fdt.service.store.StoreException;
import io.fdt.service.store.access.AuditStore;
import io.fdt.service.value.Fault;
import io.fdt.service.value.Secrets;
import io.fdt.service.value.ServiceException;
import io.fdt.service.web.http.Filter;
import io.fdt.service.web.http.Reply;
import io.fdt.service.web.http.RequestContext;
import io.fdt.service.web.http.Route;
import java.time.Clock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Records each change with its user and its outcome in the audit log. Any thread. */
public final class AuditLog implements Filter {
  private static final Logger LOG = LoggerFactory.getLogger(AuditLog.class);

  private final AuditStore store;
  private final Clock clock;

  public AuditLog(AuditStore store, Clock clock) {
    this.store = store;
    this.clock = clock;
  }

  /** Executes a change after it was recorded. */
  @Override
  public Reply onBody(RequestContext request, Route.Handler next)
      throws ServiceException, FdtException, InterruptedException {
    if (!request.route().isChange()) {
      return next.handle(request);
    }
    String owner = request.owner();
    AuditStore.Entry entry = entry(request);
    try {
      store.begin(entry);
      Reply reply = next.handle(request);
      String who = owner.isEmpty() ? reply.user() : owner;
      end(ended(entry, request, who, reply.status(), location(reply)));
      return reply;
    } catch (ServiceException e) {
      if (e.fault().isOfEndpoint()) {
        // The endpoint may have changed something.
        end(ended(entry, request, owner, e.fault().status(), e.getMessage()));
      } else {
        refuse(entry, request, e);
      }
      throw e;
    } catch (FdtException e) {
      end(ended(entry, request, owner, Fault.ENDPOINT.status(), e.getMessage()));
      throw e;
    } catch (StoreException e) {
      end(ended(entry, request, owner, Fault.BUSY.status(), e.getMessage()));
      throw e;
    } catch (RuntimeException e) {
      end(ended(entry, request, owner, Fault.INTERNAL.status(), e.toString()));
      throw e;
    }
  }

  /** Records a change that is refused before it begins. */
  void refused(RequestContext request, ServiceException refusal) {
    if (request.route().isChange()) {
      refuse(entry(request), request, refusal);
    }
  }

  private void refuse(AuditStore.Entry entry, RequestContext request, ServiceException refusal) {
    AuditStore.Entry refused =
        ended(entry, request, request.owner(), refusal.fault().status(), refusal.getMessage());
    write(refused, () -> store.refuse(refused, request.network()));
  }

  private AuditStore.Entry entry(RequestContext request) {
    String action = request.route().method() + " " + request.route().template();
    return new AuditStore.Entry(
        Secrets.id(),
        clock.millis(),
        request.owner(),
        request.address(),
        action,
        request.target(),
        request.about(),
        0,
        "",
        1);
  }

  private static AuditStore.Entry ended(
      AuditStore.Entry entry, RequestContext request, String owner, int status, String detail) {
    return new AuditStore.Entry(
        entry.id(),
        entry.at(),
        owner,
        entry.address(),
        entry.action(),
        entry.target(),
        request.about(),
        status,
        detail,
        1);
  }

  /** The address of the new object. */
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
