package io.fdt.service.web.auth;

import io.fdt.core.error.FdtException;
import io.fdt.service.store.access.Principal;
import io.fdt.service.value.Fault;
import io.fdt.service.value.ServiceException;
import io.fdt.service.web.http.Filter;
import io.fdt.service.web.http.Reply;
import io.fdt.service.web.http.RequestContext;
import io.fdt.service.web.http.Route;

/**
 * Refuses requests that the scopes of the user do not allow. Browsers send cookies automatically,
 * also for foreign pages (CSRF): a change with a cookie needs a header that foreign pages cannot
 * send. Any thread.
 */
public record Permission(AuditLog audit) implements Filter {
  /** The header of the page; its value does not matter. */
  private static final String HEADER = "X-FDT-Page";

  @Override
  public Reply onBody(RequestContext request, Route.Handler next)
      throws ServiceException, FdtException, InterruptedException {
    try {
      check(request);
    } catch (ServiceException e) {
      audit.refused(request, e);
      throw e;
    }
    return next.handle(request);
  }

  private static void check(RequestContext request) throws ServiceException {
    Principal user = request.user();
    Route route = request.route();
    if ((user == null || user.byCookie()) && !route.method().equals("GET")) {
      checkPage(request);
    }
    if (user != null && !user.scopes().contains(route.scope())) {
      throw Fault.FORBIDDEN.of(
          "your token or your role lacks the scope '" + route.scope().text() + "'");
    }
  }

  /** Refuses a change without the header, which a foreign page may have caused. */
  private static void checkPage(RequestContext request) throws ServiceException {
    String origin = request.header("Origin");
    boolean isForeign =
        !origin.isEmpty() && !origin.replaceFirst("^https?://", "").equals(request.header("Host"));
    if (!request.hasHeader(HEADER) || isForeign) {
      throw Fault.FORBIDDEN.of("a browser changes nothing here without the header " + HEADER);
    }
  }
}
