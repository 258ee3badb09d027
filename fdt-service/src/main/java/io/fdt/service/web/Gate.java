package io.fdt.service.web;

import io.fdt.service.store.AccessStore;
import io.fdt.service.store.Principal;
import io.fdt.service.store.Scope;
import io.fdt.service.value.Fault;
import io.fdt.service.value.ServiceException;
import java.time.Clock;
import java.util.Set;

/**
 * Decides who may ask what.
 *
 * <p>A browser sends cookies by itself, also for pages of others. So a change by cookie needs a
 * header that pages of others cannot send, and each request needs a Host that is one of ours, or
 * else a foreign name that points here could read answers. Any thread.
 */
final class Gate {
  /** The header of the page; its value does not matter. */
  static final String HEADER = "X-FDT-Page";

  private final AccessStore store;
  private final Set<String> hosts;
  private final Clock clock;

  /**
   * The gate of a service.
   *
   * @param hosts names under which it may be called, without port
   */
  Gate(AccessStore store, Set<String> hosts, Clock clock) {
    this.store = store;
    this.hosts = Set.copyOf(hosts);
    this.clock = clock;
  }

  /**
   * What a request says of who sent it; empty where it lacks it.
   *
   * @param host the Host header
   * @param address from where, for the audit log
   * @param hasPageHeader whether {@link #HEADER} is there
   */
  record Sender(
      String host,
      String origin,
      String authorization,
      String cookie,
      boolean hasPageHeader,
      String address) {}

  void checkHost(Sender sender) throws ServiceException {
    if (!hosts.contains(name(sender.host()))) {
      throw new ServiceException(
          Fault.FORBIDDEN,
          "this service is not called '%s'; start it with --name".formatted(name(sender.host())));
    }
  }

  private static String name(String host) {
    return host.replaceFirst(":[0-9]*$", "");
  }

  /** The user of a request for a route. */
  Principal enter(Sender sender, String method, Scope scope) throws ServiceException {
    Principal user = user(sender);
    if (user.byCookie() && !method.equals("GET")) {
      checkPage(sender);
    }
    if (!user.scopes().contains(scope)) {
      throw new ServiceException(
          Fault.FORBIDDEN, "your token or your role lacks the scope '" + scope.text() + "'");
    }
    return user;
  }

  /** Whether the token or the cookie of a request is good still. */
  boolean isGoodStill(Sender sender, Scope scope) {
    try {
      return user(sender).scopes().contains(scope);
    } catch (ServiceException e) {
      return false;
    }
  }

  /** Refuses what a page of somebody else may have had a browser send. */
  void checkPage(Sender sender) throws ServiceException {
    boolean isForeign =
        !sender.origin().isEmpty()
            && !sender.origin().replaceFirst("^https?://", "").equals(sender.host());
    if (!sender.hasPageHeader() || isForeign) {
      throw new ServiceException(
          Fault.FORBIDDEN, "a browser changes nothing here without the header " + HEADER);
    }
  }

  private Principal user(Sender sender) throws ServiceException {
    String authorization = sender.authorization();
    if (!authorization.isEmpty()) {
      if (!authorization.regionMatches(true, 0, "Bearer ", 0, 7)) {
        throw new ServiceException(Fault.UNAUTHENTICATED, "only Bearer tokens are known here");
      }
      return store
          .ofToken(authorization.substring(7).strip(), clock.millis())
          .orElseThrow(
              () ->
                  new ServiceException(
                      Fault.UNAUTHENTICATED, "the token is unknown, revoked or has expired"));
    }
    if (sender.cookie().isEmpty()) {
      throw new ServiceException(
          Fault.UNAUTHENTICATED, "sign in with the link of: fdt service link; or send a token");
    }
    return store
        .ofCookie(sender.cookie(), clock.millis())
        .orElseThrow(
            () ->
                new ServiceException(
                    Fault.UNAUTHENTICATED,
                    "you are not signed in any more; get a link with: fdt service link"));
  }
}
