package io.fdt.service.web.routes;

import static io.fdt.service.web.http.Route.query;

import io.fdt.core.error.FdtException;
import io.fdt.service.oidc.OidcProvider;
import io.fdt.service.oidc.Person;
import io.fdt.service.oidc.SignInAttempt;
import io.fdt.service.store.Vault;
import io.fdt.service.store.access.AccessStore;
import io.fdt.service.store.access.AccountStore;
import io.fdt.service.store.access.Principal;
import io.fdt.service.store.access.Scope;
import io.fdt.service.value.Fault;
import io.fdt.service.value.ServiceException;
import io.fdt.service.web.auth.UserLimits;
import io.fdt.service.web.http.Reply;
import io.fdt.service.web.http.RequestContext;
import io.fdt.service.web.http.Route;
import io.fdt.service.web.http.SessionCookies;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** Sign-in by an identity provider: both redirects. Any thread. */
public final class OidcRoutes {
  private static final String LOGIN = "/api/v1/oidc/login";
  private static final String BACK = "/api/v1/oidc/callback";

  /** The purpose to which the encryption of the cookie is bound. */
  private static final String PLACE = "sign-in";

  private final OidcProvider provider;
  private final AccessStore store;
  private final AccountStore accounts;
  private final Vault vault;
  private final UserLimits limits;
  private final SessionCookies cookies;
  private final Supplier<URI> url;
  private final Clock clock;

  /**
   * Services that the routes use.
   *
   * @param url of the service for browsers
   */
  public record Parts(
      OidcProvider provider,
      AccessStore store,
      AccountStore accounts,
      Vault vault,
      UserLimits limits,
      SessionCookies cookies,
      Supplier<URI> url,
      Clock clock) {}

  public OidcRoutes(Parts parts) {
    this.provider = parts.provider();
    this.store = parts.store();
    this.accounts = parts.accounts();
    this.vault = parts.vault();
    this.limits = parts.limits();
    this.cookies = parts.cookies();
    this.url = parts.url();
    this.clock = parts.clock();
  }

  public List<Route> routes() {
    return List.of(
        Route.get(
            "/api/v1/oidc",
            null,
            "Show the identity provider of this service.",
            request ->
                Reply.json(
                    Map.of("issuer", provider.settings().issuer().toString(), "login", LOGIN))),
        Route.get(LOGIN, null, "Redirect a browser to the identity provider.", this::begin),
        Route.get(
            BACK,
            null,
            "Callback of the identity provider; sets a cookie.",
            this::finish,
            query("state", "string", "as it was sent"),
            query("code", "string", "authorization code of the provider"),
            query("iss", "string", "the provider"),
            query("error", "string", "why the sign-in failed"),
            Route.OTHERS),
        Route.get(
            "/api/v1/oidc/logout",
            Scope.READ,
            "Show the sign-out address of the identity provider, for use after DELETE"
                + " /api/v1/session.",
            request -> {
              Map<String, Object> view = new LinkedHashMap<>();
              view.put("url", provider.signOut(url.get()).map(URI::toString).orElse(null));
              return Reply.json(view);
            }));
  }

  private URI back() {
    return url.get().resolve(BACK);
  }

  private Reply begin(RequestContext request) throws ServiceException {
    SignInAttempt attempt = SignInAttempt.begin(clock.millis());
    URI there = provider.begin(attempt, back());
    return Reply.redirect(there)
        .cookie(cookies.setAttempt(vault.encrypt(attempt.text(), PLACE), SignInAttempt.LIFE));
  }

  private Reply finish(RequestContext request) throws ServiceException {
    limits.checkFailures(request.network());
    try {
      SignInAttempt attempt = attempt(request);
      long now = clock.millis();
      Person person = provider.finish(attempt, request.query(), back(), now);
      AccountStore.Account account =
          accounts.signIn(person.issuer(), person.subject(), person.name(), person.role(), now);
      if (!request.cookie().isEmpty()) {
        store.signOut(request.cookie());
      }
      // Always a new value: a cookie planted in this browser never becomes valid.
      Principal user = new Principal(account.owner(), account.role().scopes(), "", true);
      String session = store.signIn(user, now, now + AccountRoutes.SESSION_LIFE.toMillis());
      return Reply.redirect(url.get())
          .by(account.owner())
          .cookie(cookies.setSession(session, AccountRoutes.SESSION_LIFE, false))
          .cookie(cookies.setAttempt("", Duration.ZERO));
    } catch (ServiceException e) {
      if (e.fault() != Fault.BUSY) {
        limits.failed(request.network());
      }
      throw e;
    }
  }

  private SignInAttempt attempt(RequestContext request) throws ServiceException {
    Optional<String> kept =
        request.attempt().isEmpty() ? Optional.empty() : Optional.of(request.attempt());
    try {
      return SignInAttempt.ofText(
          vault.decrypt(
              kept.orElseThrow(
                  () ->
                      Fault.UNAUTHENTICATED.of(
                          "this browser has begun no sign-in here; begin at " + LOGIN)),
              PLACE));
    } catch (FdtException e) {
      throw Fault.UNAUTHENTICATED.of("the cookie of the sign-in is damaged; begin at " + LOGIN);
    }
  }
}
