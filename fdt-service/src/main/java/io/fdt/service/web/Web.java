package io.fdt.service.web;

import io.fdt.core.error.FdtException;
import io.fdt.service.run.Dispatcher;
import io.fdt.service.run.Endpoints;
import io.fdt.service.run.Live;
import io.fdt.service.run.Submission;
import io.fdt.service.store.AccessStore;
import io.fdt.service.store.AccountStore;
import io.fdt.service.store.AuditStore;
import io.fdt.service.store.EndpointStore;
import io.fdt.service.store.TaskStore;
import io.fdt.service.store.TimerStore;
import io.fdt.service.store.Vault;
import io.fdt.service.store.WebhookStore;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The table of all routes. */
public final class Web {
  private Web() {}

  /** What the routes work on. */
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
      Clock clock) {}

  /**
   * Starts the interface and the page.
   *
   * @param names under which the service is called, beside those of loopback
   * @param address where it listens
   * @param port 0 for any free one
   */
  public static HttpService start(Parts parts, List<String> names, String address, int port)
      throws FdtException {
    Set<String> hosts = new HashSet<>(Set.of("127.0.0.1", "localhost", "[::1]"));
    hosts.addAll(names);
    hosts.add(HttpService.host(address));
    LiveRoute live = new LiveRoute(parts.live(), parts.limits());
    return HttpService.start(
        new HttpService.Doors(
            new Gate(parts.access(), hosts, parts.clock()),
            parts.limits(),
            new AuditLog(parts.audit(), parts.clock())),
        routes(parts, live),
        live,
        address,
        port);
  }

  private static List<Route> routes(Parts parts, LiveRoute live) {
    List<Route> routes = new ArrayList<>();
    routes.addAll(
        new TaskRoutes(
                parts.tasks(), parts.dispatcher(), parts.submission(), parts.live(), parts.clock())
            .routes());
    routes.addAll(
        new EndpointRoutes(parts.endpoints(), parts.stored(), parts.vault(), parts.clock())
            .routes());
    routes.addAll(
        new AccountRoutes(parts.access(), parts.links(), parts.dispatcher(), parts.clock())
            .routes());
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
    routes.add(live.route());
    routes.add(
        new Route(
            "GET",
            "/healthz",
            null,
            "Whether the service and its database work: 200, or 503.",
            List.of(),
            call -> {
              parts.tasks().check();
              return Reply.json(Map.of("status", "up"));
            }));
    routes.add(new MetricsRoute(parts.tasks(), parts.dispatcher()).route());
    Map<String, Object> description = OpenApi.describe(routes);
    routes.add(
        new Route(
            "GET",
            "/api/openapi.json",
            null,
            "This description.",
            List.of(),
            call -> Reply.json(description)));
    return routes;
  }
}
