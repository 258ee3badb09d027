package io.fdt.service.web;

import io.fdt.core.error.FdtException;
import io.fdt.core.security.AddressRange;
import io.fdt.service.oidc.OidcProvider;
import io.fdt.service.run.Dispatcher;
import io.fdt.service.run.Endpoints;
import io.fdt.service.run.Live;
import io.fdt.service.run.Previews;
import io.fdt.service.run.Submission;
import io.fdt.service.run.Totals;
import io.fdt.service.store.BookmarkStore;
import io.fdt.service.store.EmailStore;
import io.fdt.service.store.EndpointStore;
import io.fdt.service.store.FigureStore;
import io.fdt.service.store.SettingStore;
import io.fdt.service.store.TaskStore;
import io.fdt.service.store.TimerStore;
import io.fdt.service.store.Vault;
import io.fdt.service.store.WebhookStore;
import io.fdt.service.store.access.AccessStore;
import io.fdt.service.store.access.AccountStore;
import io.fdt.service.store.access.AuditStore;
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
import java.time.Clock;
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

  /** Services that the routes use. */
  public record Parts(
      TaskStore tasks,
      EndpointStore stored,
      AccessStore access,
      AccountStore accounts,
      AuditStore audit,
      TimerStore timers,
      WebhookStore webhooks,
      Endpoints endpoints,
      Submission submission,
      Vault vault,
      Dispatcher dispatcher,
      Live live,
      SignInLinks links,
      UserLimits limits,
      Optional<OidcProvider> provider,
      EmailStore emails,
      boolean sendsMail,
      BookmarkStore bookmarks,
      FigureStore figures,
      Totals totals,
      LongSupplier failures,
      String home,
      SettingStore settings,
      Clock clock) {}

  /**
   * The addresses of the service.
   *
   * @param names under which it is called, beside those of loopback
   * @param address where it listens
   * @param port 0 for any free one
   * @param proxies their X-Forwarded-For counts
   * @param url where browsers find it; empty for the port on loopback
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
   * Takes the port of the interface and the page; see {@link HttpService#answer}.
   *
   * @throws FdtException the port is taken
   */
  public static HttpService start(Parts parts, Place place) throws FdtException {
    Set<String> hosts = new HashSet<>(Set.of("127.0.0.1", "localhost", "[::1]"));
    hosts.addAll(place.names());
    hosts.add(HttpService.host(place.address()));
    place.url().ifPresent(url -> hosts.add(url.getHost()));
    LiveRoute live = new LiveRoute(parts.live(), parts.limits());
    SessionCookies cookies = new SessionCookies(place.isSecure());
    AtomicReference<URI> url = new AtomicReference<>();
    UserLimits limits = parts.limits();
    AuditLog audit = new AuditLog(parts.audit(), parts.clock());
    HttpService service =
        HttpService.start(
            new HttpService.Entrance(
                hosts,
                new Sources(place.proxies()),
                cookies,
                List.of(
                    new Gate(parts.access(), limits, parts.clock()),
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
    List<Route> routes = new ArrayList<>();
    routes.addAll(
        new TaskRoutes(
                parts.tasks(),
                parts.dispatcher(),
                parts.submission(),
                new Previews(parts.submission(), parts.endpoints()),
                parts.live(),
                parts.clock())
            .routes());
    routes.addAll(
        new EndpointRoutes(parts.endpoints(), parts.stored(), parts.vault(), parts.clock())
            .routes());
    routes.addAll(new FileRoutes(parts.endpoints()).routes());
    routes.addAll(
        new AccountRoutes(
                parts.access(),
                parts.accounts(),
                parts.links(),
                parts.dispatcher(),
                parts.limits(),
                cookies,
                parts.clock())
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
                                parts.accounts(),
                                parts.vault(),
                                parts.limits(),
                                cookies,
                                url,
                                parts.clock()))
                        .routes()));
    routes.addAll(new AdminRoutes(parts.accounts(), parts.audit(), parts.clock()).routes());
    routes.addAll(
        new TimerRoutes(
                parts.timers(),
                parts.webhooks(),
                parts.submission(),
                parts.vault(),
                parts.endpoints(),
                parts.clock())
            .routes());
    routes.addAll(
        new EmailRoutes(
                parts.emails(), parts.vault(), parts.limits(), parts.sendsMail(), parts.clock())
            .routes());
    routes.addAll(new BookmarkRoutes(parts.bookmarks(), parts.endpoints(), parts.clock()).routes());
    routes.add(live.route());
    routes.add(new Health(parts.settings()).route());
    routes.add(
        new MetricsRoute(
                new MetricsRoute.Parts(
                    parts.figures(),
                    parts.dispatcher(),
                    parts.totals(),
                    parts.settings(),
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
