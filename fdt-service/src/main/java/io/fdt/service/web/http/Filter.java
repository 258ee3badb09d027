package io.fdt.service.web.http;

import io.fdt.core.error.FdtException;
import io.fdt.service.value.ServiceException;

/** A check between a request and the handler of its route. Any thread. */
public interface Filter {
  /** Checks the headers, before the body is read. */
  default void onHeaders(RequestContext request) throws ServiceException {}

  /** Checks the request with its body, and calls the next filter or the handler. */
  default Reply onBody(RequestContext request, Route.Handler next)
      throws ServiceException, FdtException, InterruptedException {
    return next.handle(request);
  }
}
