package io.fdt.service.web.auth;

import io.fdt.service.store.StoreException;
import io.fdt.service.store.access.AccessStore;
import io.fdt.service.store.access.Principal;
import io.fdt.service.store.access.Scope;
import io.fdt.service.value.Fault;
import io.fdt.service.value.Secrets;
import io.fdt.service.value.ServiceException;
import io.fdt.service.web.http.Filter;
import io.fdt.service.web.http.RequestContext;
import io.fdt.service.web.http.Route;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Identifies the user of a request by its token or its cookie. Wrong tokens from a network do not
 * block recently valid ones. Any thread.
 */
public final class Gate implements Filter {
  private static final String AUTHORIZATION = "Authorization";
  private static final String BEARER = "Bearer ";

  /** The most recent users. Memory: about 400 bytes each. */
  private static final int MOST_RECENT = 10_000;

  private final AccessStore store;
  private final UserLimits limits;
  private final Clock clock;

  /** Users by the hash of a recently valid secret. */
  private final Map<String, Principal> recent =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Principal> eldest) {
          return size() > MOST_RECENT;
        }
      };

  public Gate(AccessStore store, UserLimits limits, Clock clock) {
    this.store = store;
    this.limits = limits;
    this.clock = clock;
  }

  @Override
  public void onHeaders(RequestContext request) throws ServiceException {
    Route route = request.route();
    if (route.scope() != null) {
      request.identified(identify(request), () -> isGoodStill(request, route.scope()));
    }
  }

  /** The user of a request. While the database is unavailable, recent users still get metrics. */
  private Principal identify(RequestContext request) throws ServiceException {
    try {
      return user(request);
    } catch (StoreException e) {
      Principal known = recent(Secrets.hash(secret(request.header(AUTHORIZATION))));
      if (request.route().scope() != Scope.METRICS || known == null) {
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

  private boolean isGoodStill(RequestContext request, Scope scope) {
    try {
      return user(request).scopes().contains(scope);
    } catch (ServiceException e) {
      return false;
    }
  }

  private Principal user(RequestContext request) throws ServiceException {
    String authorization = request.header(AUTHORIZATION);
    if (!authorization.isEmpty()) {
      if (!authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())) {
        throw Fault.UNAUTHENTICATED.of("only Bearer tokens are known here");
      }
      return holder(
          secret(authorization),
          request,
          store::ofToken,
          "the token is unknown, revoked or has expired");
    }
    if (request.cookie().isEmpty()) {
      throw Fault.UNAUTHENTICATED.of("sign in with the link of: fdt service link; or send a token");
    }
    return holder(
        request.cookie(),
        request,
        store::ofCookie,
        "you are not signed in any more; get a link with: fdt service link");
  }

  /** Looks up a secret in the store. */
  @FunctionalInterface
  private interface Question {
    Optional<Principal> ask(String secret, long now);
  }

  /** The user of a secret. */
  private Principal holder(String secret, RequestContext request, Question question, String refusal)
      throws ServiceException {
    String hash = Secrets.hash(secret);
    if (recent(hash) == null) {
      limits.checkFailures(request.network());
    }
    Optional<Principal> found = question.ask(secret, clock.millis());
    note(hash, found.orElse(null));
    if (found.isEmpty()) {
      limits.failed(request.network());
      throw Fault.UNAUTHENTICATED.of(refusal);
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
