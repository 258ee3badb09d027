package io.fdt.service.web.auth;

import io.fdt.service.store.StoreException;
import io.fdt.service.store.access.AccessStore;
import io.fdt.service.store.access.Principal;
import io.fdt.service.store.access.Scope;
import io.fdt.service.value.Fault;
import io.fdt.service.value.Secrets;
import io.fdt.service.value.ServiceException;
import io.fdt.service.web.http.Route;
import io.fdt.service.web.http.Sources;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Decides who may ask what.
 *
 * <p>A browser sends cookies by itself, also for pages of others. So a change by cookie needs a
 * header that pages of others cannot send, and each request needs a Host that is one of ours, or
 * else a foreign name that points here could read answers. Any thread.
 */
public final class Gate {
  /** The header of the page; its value does not matter. */
  public static final String HEADER = "X-FDT-Page";

  private static final String BEARER = "Bearer ";

  /** Memory: about 400 bytes each. */
  private static final int MOST_RECENT = 10_000;

  private final AccessStore store;
  private final Set<String> hosts;
  private final UserLimits limits;
  private final Clock clock;

  /** By hash, the users of secrets that were good when they were seen last. */
  private final Map<String, Principal> recent =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Principal> eldest) {
          return size() > MOST_RECENT;
        }
      };

  /**
   * The gate of a service.
   *
   * @param hosts names under which it may be called, without port
   */
  public Gate(AccessStore store, Set<String> hosts, UserLimits limits, Clock clock) {
    this.store = store;
    this.limits = limits;
    this.hosts = Set.copyOf(hosts);
    this.clock = clock;
  }

  /**
   * What a request says of who sent it; empty where it lacks it.
   *
   * @param host the Host header
   * @param attempt the cookie of a sign-in that has begun
   * @param address from where, for the audit log
   * @param hasPageHeader whether {@link #HEADER} is there
   */
  public record Sender(
      String host,
      String origin,
      String authorization,
      String cookie,
      String attempt,
      boolean hasPageHeader,
      String address) {}

  public void checkHost(Sender sender) throws ServiceException {
    if (!hosts.contains(name(sender.host()))) {
      throw new ServiceException(
          Fault.FORBIDDEN,
          "this service is not called '%s'; start it with --name".formatted(name(sender.host())));
    }
  }

  private static String name(String host) {
    return host.replaceFirst(":[0-9]*$", "");
  }

  /** The user of a request. While the database is away, those who watch the service are known. */
  public Principal identify(Sender sender, Route route) throws ServiceException {
    try {
      return user(sender);
    } catch (StoreException e) {
      Principal known = recent(Secrets.hash(secret(sender.authorization())));
      if (route.scope() != Scope.METRICS || known == null) {
        throw e;
      }
      return known;
    }
  }

  private static String secret(String authorization) {
    return authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())
        ? authorization.substring(BEARER.length()).strip()
        : "";
  }

  /** Refuses what this user may not do, or what a page of somebody else may have sent. */
  public void allow(Principal user, Sender sender, Route route) throws ServiceException {
    if (user == null || user.byCookie()) {
      if (!route.method().equals("GET")) {
        checkPage(sender);
      }
    }
    if (user != null && !user.scopes().contains(route.scope())) {
      throw new ServiceException(
          Fault.FORBIDDEN,
          "your token or your role lacks the scope '" + route.scope().text() + "'");
    }
  }

  /** Whether the token or the cookie of a request is good still. */
  public boolean isGoodStill(Sender sender, Scope scope) {
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
      if (!authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())) {
        throw new ServiceException(Fault.UNAUTHENTICATED, "only Bearer tokens are known here");
      }
      return holder(
          secret(authorization),
          sender,
          store::ofToken,
          "the token is unknown, revoked or has expired");
    }
    if (sender.cookie().isEmpty()) {
      throw new ServiceException(
          Fault.UNAUTHENTICATED, "sign in with the link of: fdt service link; or send a token");
    }
    return holder(
        sender.cookie(),
        sender,
        store::ofCookie,
        "you are not signed in any more; get a link with: fdt service link");
  }

  /** Asks the store about a secret. */
  @FunctionalInterface
  private interface Question {
    Optional<Principal> ask(String secret, long now);
  }

  /**
   * The user of a secret. One that was good a moment ago is not held up by the wrong ones of others
   * that come from the same network.
   */
  private Principal holder(String secret, Sender sender, Question question, String refusal)
      throws ServiceException {
    String hash = Secrets.hash(secret);
    String network = Sources.network(sender.address());
    if (recent(hash) == null) {
      limits.checkFailures(network);
    }
    Optional<Principal> found = question.ask(secret, clock.millis());
    note(hash, found.orElse(null));
    if (found.isEmpty()) {
      limits.failed(network);
      throw new ServiceException(Fault.UNAUTHENTICATED, refusal);
    }
    return found.get();
  }

  private synchronized Principal recent(String hash) {
    return recent.get(hash);
  }

  private synchronized void note(String hash, Principal user) {
    if (user != null) {
      recent.put(hash, user);
    } else {
      recent.remove(hash);
    }
  }
}
