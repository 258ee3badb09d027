package io.fdt.service.web.routes;

import static io.fdt.service.web.http.Route.body;
import static io.fdt.service.web.http.Route.required;

import io.fdt.client.RemoteHost;
import io.fdt.core.error.FdtException;
import io.fdt.service.run.Endpoints;
import io.fdt.service.store.Endpoint;
import io.fdt.service.store.EndpointStore;
import io.fdt.service.store.Vault;
import io.fdt.service.store.access.Scope;
import io.fdt.service.value.Fault;
import io.fdt.service.value.Fields;
import io.fdt.service.value.Secrets;
import io.fdt.service.value.ServiceException;
import io.fdt.service.web.http.Reply;
import io.fdt.service.web.http.RequestContext;
import io.fdt.service.web.http.Route;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** The operations on endpoints. Any thread. */
public record EndpointRoutes(Endpoints endpoints, EndpointStore store, Vault vault, Clock clock) {
  private static final String ENDPOINT = "/api/v1/endpoints/{endpoint}";
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,62}");
  private static final int MOST_PATH = 4096;
  private static final int USUAL_TASKS = 4;

  public List<Route> routes() {
    return List.of(
        Route.get(
            "/api/v1/endpoints",
            Scope.READ,
            "List endpoints.",
            request ->
                Reply.json(
                    Map.of(
                        "endpoints",
                        endpoints.list(request.owner()).stream().map(this::view).toList()))),
        Route.post(
            "/api/v1/endpoints",
            Scope.ENDPOINTS,
            "Add an endpoint, after checking reachability, key and token."
                + " Without a fingerprint, the error for an unknown server contains it.",
            this::add,
            required("name", "string", "letters, digits, dot, dash and underscore"),
            required("address", "string", "HOST[:PORT] or fdt://HOST[:PORT][?fingerprint=...]"),
            body("fingerprint", "string", "the key of the server: SHA256:..."),
            body("token", "string", "your token for the server"),
            body("default_path", "string", "directory of relative paths; default: its export"),
            body("max_tasks", "integer", "tasks that use it at once, 1 to 64; default 4")),
        Route.get(ENDPOINT, Scope.READ, "Show an endpoint.", request -> shown(find(request))),
        Route.patch(
            ENDPOINT,
            Scope.ENDPOINTS,
            "Change an endpoint, after the checks for a new one; needs If-Match. Tasks use a new"
                + " token from their next attempt.",
            this::modify,
            body("token", "string", "your token for the server; empty: none"),
            body("fingerprint", "string", "the key of the server: SHA256:..."),
            body("default_path", "string", "directory of relative paths"),
            body("max_tasks", "integer", "most concurrent tasks, 1 to 64")),
        Route.delete(
            ENDPOINT,
            Scope.ENDPOINTS,
            "Remove an endpoint that no unfinished task uses; needs If-Match.",
            this::remove),
        Route.post(
            ENDPOINT + "/check",
            Scope.READ,
            "Check an endpoint; returns its exports and rights. The service checks"
                + " every five minutes, unreachable endpoints every 30 s.",
            this::check));
  }

  private Endpoint find(RequestContext request) throws ServiceException {
    Endpoint endpoint = endpoints.find(request.owner(), request.path("endpoint"));
    request.about(endpoint.name());
    return endpoint;
  }

  private Map<String, Object> view(Endpoint endpoint) {
    return Views.endpoint(endpoint, endpoints.tokenFrom(endpoint));
  }

  private Reply shown(Endpoint endpoint) {
    return Reply.json(view(endpoint)).with("ETag", "\"" + endpoint.version() + "\"");
  }

  private Reply add(RequestContext request) throws ServiceException, InterruptedException {
    Fields fields = request.fields();
    String name = fields.text("name", 63);
    request.about(name);
    if (!NAME.matcher(name).matches() || name.equals(Endpoint.LOCAL)) {
      throw Fault.INVALID.of(
          "'%s' is no name for an endpoint: letters, digits, dot, dash and underscore; 'local' is taken"
              .formatted(name));
    }
    EndpointAddress address = EndpointAddress.parse(fields.text("address", 400));
    String token = fields.optionalText("token", 1000).orElse("").strip();
    String named = fields.optionalText("fingerprint", 100).orElse("").strip();
    String fingerprint = named.isEmpty() ? address.fingerprint() : named;
    String path = fields.optionalText("default_path", MOST_PATH).orElse("");
    int most = (int) fields.number("max_tasks", 1, 64, USUAL_TASKS);
    fields.finish();
    String owner = request.owner();
    Endpoints.Checked checked =
        endpoints.check(owner, address.host(), address.port(), fingerprint, token);
    String id = Secrets.id();
    Endpoint endpoint =
        new Endpoint(
            id,
            owner,
            name,
            address.host(),
            address.port(),
            checked.fingerprint(),
            token.isEmpty() ? "" : vault.encrypt(token, id),
            path.isEmpty() ? defaultPath(checked.host()) : path,
            most,
            clock.millis(),
            1,
            Endpoints.health(checked.host(), clock.millis()));
    store.add(endpoint);
    Map<String, Object> view = view(endpoint);
    view.put("exports", exports(checked.host()));
    return Reply.created("/api/v1/endpoints/" + id, view);
  }

  private Reply modify(RequestContext request)
      throws ServiceException, InterruptedException, FdtException {
    Endpoint endpoint = find(request);
    Fields fields = request.fields();
    Optional<String> newToken = fields.optionalText("token", 1000).map(String::strip);
    Optional<String> newKey = fields.optionalText("fingerprint", 100).map(String::strip);
    String path = fields.optionalText("default_path", MOST_PATH).orElse(endpoint.defaultPath());
    int most = (int) fields.number("max_tasks", 1, 64, endpoint.maxTasks());
    fields.finish();
    if (endpoint.isLocal()) {
      throw Fault.INVALID.of("this machine cannot be changed");
    }
    long version = request.version();
    if (version != 0 && version != endpoint.version()) {
      throw Fault.CHANGED.of("endpoint '%s' has changed since".formatted(endpoint.name()));
    }
    String fingerprint =
        newKey.filter(key -> !key.isEmpty()).orElseGet(() -> endpoint.fingerprint());
    String stored = endpoint.token();
    Endpoint.Health health = endpoint.health();
    if (newToken.isPresent() || newKey.isPresent()) {
      String token =
          newToken.isPresent() || stored.isEmpty()
              ? newToken.orElse("")
              : vault.decrypt(stored, endpoint.id());
      Endpoints.Checked checked =
          endpoints.check(endpoint.owner(), endpoint.host(), endpoint.port(), fingerprint, token);
      stored = token.isEmpty() ? "" : vault.encrypt(token, endpoint.id());
      health = Endpoints.health(checked.host(), clock.millis());
    }
    Endpoint next = endpoint.with(fingerprint, stored, path, most, health);
    store.change(next);
    return shown(next);
  }

  /** The single export, or the root. */
  private static String defaultPath(RemoteHost host) {
    return host.exports().size() == 1 ? host.exports().get(0).path().toString() : "/";
  }

  private static List<Map<String, Object>> exports(RemoteHost host) {
    return host.exports().stream()
        .map(
            export ->
                Map.<String, Object>of(
                    "path", export.path().toString(), "writable", export.writable()))
        .toList();
  }

  private Reply remove(RequestContext request) throws ServiceException {
    Endpoint endpoint = find(request);
    if (endpoint.isLocal()) {
      throw Fault.INVALID.of("this machine cannot be removed");
    }
    store.remove(endpoint, request.version());
    return Reply.empty();
  }

  private Reply check(RequestContext request) throws ServiceException, InterruptedException {
    Endpoint endpoint = find(request);
    RemoteHost host;
    try {
      host = endpoints.check(endpoint);
      store.note(endpoint, Endpoints.health(host, clock.millis()));
    } catch (ServiceException e) {
      store.note(endpoint, Endpoint.Health.of(clock.millis(), e));
      throw e;
    }
    Map<String, Object> view = new LinkedHashMap<>();
    view.put("software", host.software());
    view.put("round_trip_us", host.roundTrip().toNanos() / 1000);
    view.put("exports", exports(host));
    return Reply.json(view);
  }
}
