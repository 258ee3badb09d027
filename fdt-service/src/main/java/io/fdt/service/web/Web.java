package io.fdt.service.web;

import io.fdt.core.error.FdtException;
import io.fdt.core.security.AddressRange;
import io.fdt.service.oidc.OidcProvider;
import io.fdt.service.run.Previews;
import io.fdt.service.run.Services;
import io.fdt.service.run.Totals;
import io.fdt.service.store.access.AccessStore;
import io.fdt.service.web.auth.AuditLog;
import io.fdt.service.web.auth.Gate;
import io.fdt.service.web.auth.Permission;
import io.fdt.service.web.auth.SignInLinks;
import io.fdt.service.web.auth.UserLimits;
import io.fdt.service.web.http.HttpService;
import io.fdt.service.web.http.Reply;
import io.fdt.service.web.http.Route;
import io.fdt.service.web.http.SessionCookies;
import io.fdt.service.web.http.Sources;
import io.fdt.service.web.routes.AccountRoutes;
import io.fdt.service.web.routes.AdminRoutes;
import io.fdt.service.web.routes.BookmarkRoutes;
import io.fdt.service.web.routes.EmailRoutes;
import io.fdt.service.web.routes.EndpointRoutes;
import io.fdt.service.web.routes.FileRoutes;
import io.fdt.service.web.routes.Health;
import io.fdt.service.web.routes.LiveRoute;
import io.fdt.service.web.routes.MetricsRoute;
import io.fdt.service.web.routes.OidcRoutes;
import io.fdt.service.web.routes.OpenApi;
import io.fdt.service.web.routes.TaskRoutes;
import io.fdt.service.web.routes.TimerRoutes;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** The table of all routes. */
public final class Web {
  private Web() {}

  /** Values that the routes need besides services. */
  public record Parts(
      Services services,
      AccessStore access,
      SignInLinks links,
      UserLimits limits,
      Optional<OidcProvider> provider,
      boolean sendsMail,
      Totals totals,
      LongSupplier failures,
      String home) {}

  /**
   * The addresses of the service.
   *
   * @param names accepted host names besides those of loopback
   * @param address to listen on
   * @param port 0 for any free one
   * @param proxies whose X-Forwarded-For is trusted
   * @param url of the service for browsers; empty for the port on loopback
   */
  public record Place(
      List<String> names, String address, int port, List<AddressRange> proxies, Optional<URI> url) {
    public Place {
      names = List.copyOf(names);
      proxies = List.copyOf(proxies);
    }

    boolean isSecure() {
      return url.isPresent() && url.get().getScheme().equals("https");
    }
  }

  /**
   * Listens on the port of the interface and the page; see {@link HttpService#answer}.
   *
   * @throws FdtException the port is taken
   */
  public static HttpService start(Parts parts, Place place) throws FdtException {
    Services services = parts.services();
    Set<String> hosts = new HashSet<>(Set.of("127.0.0.1", "localhost", "[::1]"));
    hosts.addAll(place.names());
    hosts.add(HttpService.host(place.address()));
    place.url().ifPresent(url -> hosts.add(url.getHost()));
    LiveRoute live = new LiveRoute(services.live(), parts.limits());
    SessionCookies cookies = new SessionCookies(place.isSecure());
    AtomicReference<URI> url = new AtomicReference<>();
    UserLimits limits = parts.limits();
    AuditLog audit = new AuditLog(services.audit(), services.clock());
    HttpService service =
        HttpService.start(
            new HttpService.Entrance(
                hosts,
                new Sources(place.proxies()),
                cookies,
                List.of(
                    new Gate(parts.access(), limits, services.clock()),
                    limits,
                    new Permission(audit),
                    audit),
                limits::mayDrop,
                UserLimits.MOST_OF_USERS
                    + UserLimits.MOST_OF_STRANGERS
                    + LiveRoute.MOST_CLIENTS
                    + 24,
                live::close),
            routes(parts, live, cookies, url::get),
            place.address(),
            place.port());
    url.set(
        place.url().orElse(URI.create("http://" + service.host() + ":" + service.port() + "/")));
    return service;
  }

  private static List<Route> routes(
      Parts parts, LiveRoute live, SessionCookies cookies, Supplier<URI> url) {
    Services services = parts.services();
    List<Route> routes = new ArrayList<>();
    routes.addAll(
        new TaskRoutes(
                services.stores().tasks(),
                services.dispatcher(),
                services.submission(),
                new Previews(services.submission(), services.endpoints()),
                services.live(),
                services.clock())
            .routes());
    routes.addAll(
        new EndpointRoutes(
                services.endpoints(),
                services.stores().endpoints(),
                services.vault(),
                services.clock())
            .routes());
    routes.addAll(new FileRoutes(services.endpoints()).routes());
    routes.addAll(
        new AccountRoutes(
                parts.access(),
                services.accounts(),
                parts.links(),
                services.dispatcher(),
                parts.limits(),
                cookies,
                services.clock())
            .routes());
    parts
        .provider()
        .ifPresent(
            provider ->
                routes.addAll(
                    new OidcRoutes(
                            new OidcRoutes.Parts(
                                provider,
                                parts.access(),
                                services.accounts(),
                                services.vault(),
                                parts.limits(),
                                cookies,
                                url,
                                services.clock()))
                        .routes()));
    routes.addAll(
        new AdminRoutes(services.accounts(), services.audit(), services.clock()).routes());
    routes.addAll(
        new TimerRoutes(
                services.stores().timers(),
                services.stores().tasks(),
                services.stores().webhooks(),
                services.submission(),
                services.vault(),
                services.endpoints(),
                services.clock())
            .routes());
    routes.addAll(
        new EmailRoutes(
                services.stores().emails(),
                services.vault(),
                parts.limits(),
                parts.sendsMail(),
                services.clock())
            .routes());
    routes.addAll(
        new BookmarkRoutes(services.stores().bookmarks(), services.endpoints(), services.clock())
            .routes());
    routes.add(live.route());
    routes.add(new Health(services.stores().settings()).route());
    routes.add(
        new MetricsRoute(
                new MetricsRoute.Parts(
                    services.stores().figures(),
                    services.dispatcher(),
                    parts.totals(),
                    services.stores().settings(),
                    parts.failures(),
                    parts.home()))
            .route());
    Map<String, Object> description = OpenApi.describe(routes);
    routes.add(
        Route.get(
            "/api/openapi.json", null, "This description.", request -> Reply.json(description)));
    return routes;
  }
}
