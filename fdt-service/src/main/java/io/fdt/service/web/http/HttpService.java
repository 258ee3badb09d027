package io.fdt.service.web.http;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.IoReason;
import io.fdt.json.Json;
import io.fdt.service.run.Endpoints;
import io.fdt.service.store.StoreException;
import io.fdt.service.store.access.Principal;
import io.fdt.service.value.Fault;
import io.fdt.service.value.ServiceException;
import io.fdt.service.web.auth.AuditLog;
import io.fdt.service.web.auth.Gate;
import io.fdt.service.web.auth.UserLimits;
import io.fdt.service.web.routes.Health;
import io.fdt.service.web.routes.LiveRoute;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.eclipse.jetty.http.HttpCookie;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.Fields;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * HTTP: finds the route of a request, has {@link Gate} decide, and writes the answer. One thread
 * for each request that is being answered, and none while its body is on its way. Any thread.
 */
public final class HttpService implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(HttpService.class);

  /** Requests of users and strangers, streams of news, and what Jetty needs itself. */
  private static final int MOST_THREADS =
      UserLimits.MOST_OF_USERS + UserLimits.MOST_OF_STRANGERS + LiveRoute.MOST_CLIENTS + 24;

  /** Of a user's request. Memory: as much, while it arrives. */
  private static final int MOST_BYTES = 1 << 20;

  private static final int IDLE_MILLIS = 70_000;

  /** Of one request, all together. */
  private static final int HEADER_BYTES = 16 << 10;

  /** What every answer carries: nothing from elsewhere, nothing inline, in no frame. */
  private static final Map<String, String> HEADERS =
      Map.of(
          "Content-Security-Policy",
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src"
              + " 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none';"
              // Text becomes HTML nowhere but in the fixed parts of the page's templates.
              + " require-trusted-types-for 'script'; trusted-types lit-html",
          "X-Content-Type-Options",
          "nosniff",
          "X-Frame-Options",
          "DENY",
          "Referrer-Policy",
          "no-referrer",
          "Cross-Origin-Opener-Policy",
          "same-origin",
          "Cross-Origin-Resource-Policy",
          "same-origin");

  private final Server server;
  private final ServerConnector connector;
  private final List<Route> routes;
  private final Gate gate;
  private final LiveRoute liveRoute;
  private final UserLimits limits;
  private final AuditLog audit;
  private final Cookies cookies;
  private final Sources sources;
  private final Page page = new Page();
  private final StrangerBodies strangers = new StrangerBodies();

  private HttpService(
      Doors doors, List<Route> routes, LiveRoute liveRoute, String address, int port) {
    this.gate = doors.gate();
    this.limits = doors.limits();
    this.audit = doors.audit();
    this.cookies = doors.cookies();
    this.sources = doors.sources();
    this.routes = List.copyOf(routes);
    this.liveRoute = liveRoute;
    QueuedThreadPool threads = new QueuedThreadPool(MOST_THREADS, 4);
    threads.setName("fdt-service-http");
    threads.setDaemon(true);
    server = new Server(threads);
    HttpConfiguration configuration = new HttpConfiguration();
    configuration.setSendServerVersion(false);
    configuration.setSendDateHeader(false);
    configuration.setRequestHeaderSize(HEADER_BYTES);
    connector = new ServerConnector(server, 1, 1, new HttpConnectionFactory(configuration));
    connector.setHost(address);
    connector.setPort(port);
    connector.setIdleTimeout(IDLE_MILLIS);
    server.addConnector(connector);
    server.setErrorHandler(HttpService::unread);
    server.setHandler(
        new Handler.Abstract() {
          @Override
          public boolean handle(Request request, Response response, Callback callback) {
            answer(request, response, callback);
            return true;
          }
        });
  }

  /** What a request has to pass. */
  public record Doors(
      Gate gate, UserLimits limits, AuditLog audit, Cookies cookies, Sources sources) {}

  /**
   * Takes a port. Clients may connect, and wait until {@link #answer}.
   *
   * @param address of this machine, as digits
   * @param port 0 for any free one
   * @throws FdtException the port is taken
   */
  public static HttpService start(
      Doors doors, List<Route> routes, LiveRoute liveRoute, String address, int port)
      throws FdtException {
    HttpService service = new HttpService(doors, routes, liveRoute, address, port);
    try {
      service.connector.open();
      return service;
    } catch (Exception e) { // Jetty declares no less
      service.close();
      throw new FdtException(
          ErrorCode.RESOURCES,
          "cannot listen on %s:%d: %s; choose another port with --port"
              .formatted(address, port, reason(e)),
          e);
    }
  }

  /**
   * Begins to answer. Once.
   *
   * @throws FdtException there are no threads for it
   */
  public void answer() throws FdtException {
    try {
      server.start();
    } catch (Exception e) { // Jetty declares no less
      throw new FdtException(
          ErrorCode.RESOURCES, "the page cannot be served: " + reason(e) + "; start it again", e);
    }
  }

  /** Jetty puts the address into an exception of its own around that of the system. */
  private static String reason(Exception e) {
    if (e.getCause() instanceof IOException cause) {
      return IoReason.of(cause);
    }
    return e instanceof IOException io ? IoReason.of(io) : "it does not start";
  }

  /** How a program of this machine names the address in a URL: a wildcard includes loopback. */
  public static String host(String address) {
    boolean isAny = address.equals("0.0.0.0") || address.matches("[0:]+");
    return isAny ? "127.0.0.1" : address.indexOf(':') < 0 ? address : "[" + address + "]";
  }

  /** Where programs of this machine reach it. */
  public String host() {
    return host(connector.getHost());
  }

  /** The port on which it listens. */
  public int port() {
    return connector.getLocalPort();
  }

  /** A request that is being answered. */
  private record Exchange(
      Request request, RequestBody body, Gate.Sender sender, Response response, Callback callback) {
    String network() {
      return Sources.network(sender.address());
    }
  }

  /** A part of the work on a request. */
  @FunctionalInterface
  private interface Step {
    void run() throws ServiceException, FdtException, IOException, InterruptedException;
  }

  private void answer(Request request, Response response, Callback callback) {
    Gate.Sender sender = sender(request);
    String network = Sources.network(sender.address());
    RequestBody body = new RequestBody(request, bytes -> limits.mayDrop(network, bytes));
    Exchange exchange = new Exchange(request, body, sender, response, callback);
    HEADERS.forEach(response.getHeaders()::put);
    guarded(exchange, () -> begin(exchange));
  }

  private static void guarded(Exchange exchange, Step step) {
    Request request = exchange.request();
    try {
      step.run();
    } catch (ServiceException e) {
      refuse(exchange, e);
    } catch (FdtException e) {
      refuse(exchange, Endpoints.refusal(e));
    } catch (StoreException e) {
      LOG.debug("a request failed: {}", e.getMessage());
      refuse(exchange, new ServiceException(Fault.BUSY, e.getMessage()));
    } catch (IOException e) {
      exchange.callback().failed(e); // the client is gone
    } catch (InterruptedException e) {
      refuse(exchange, new ServiceException(Fault.BUSY, "the service stops"));
    } catch (RuntimeException e) {
      LOG.error("a defect in {} {}", request.getMethod(), request.getHttpURI().getPath(), e);
      refuse(exchange, new ServiceException(Fault.INTERNAL, "a defect; see the log"));
    }
  }

  private Gate.Sender sender(Request request) {
    Map<String, String> all = new HashMap<>();
    for (HttpCookie one : Request.getCookies(request)) {
      all.put(one.getName(), one.getValue());
    }
    return new Gate.Sender(
        header(request, "Host"),
        header(request, "Origin"),
        header(request, "Authorization"),
        cookies.session(all),
        cookies.attempt(all),
        request.getHeaders().contains(Gate.HEADER),
        address(request));
  }

  /** Where a request comes from; behind a proxy as the proxy says. */
  private String address(Request request) {
    // A client may send one header, and its proxy add another.
    String forwarded = String.join(",", request.getHeaders().getValuesList("X-Forwarded-For"));
    return sources.address(Request.getRemoteAddr(request), forwarded);
  }

  private static String header(Request request, String name) {
    String value = request.getHeaders().get(name);
    return value == null ? "" : value;
  }

  private void begin(Exchange exchange) throws ServiceException {
    Request request = exchange.request();
    gate.checkHost(exchange.sender());
    String path = request.getHttpURI().getPath();
    Optional<Page.Content> content =
        request.getMethod().equals("GET") ? page.find(path) : Optional.empty();
    if (content.isPresent()) {
      send(request, exchange.response(), content.get(), exchange.callback());
      return;
    }
    Found found = find(request.getMethod(), path);
    Principal user =
        found.route().scope() == null ? null : gate.identify(exchange.sender(), found.route());
    Map<String, String> query = query(request, found.route());
    UserLimits.Permit permit = admit(exchange, found.route(), user);
    CompletableFuture<String> body =
        exchange.body().read(user == null ? StrangerBodies.MOST_BYTES : MOST_BYTES);
    Step rest = () -> finish(exchange, found, user, query, body, permit);
    if (body.isDone()) {
      guarded(exchange, rest);
      return;
    }
    if (user == null) {
      strangers.begin(exchange.body());
    }
    var unused =
        body.whenCompleteAsync(
            (text, failure) -> {
              strangers.end(exchange.body());
              guarded(exchange, rest);
            },
            server.getThreadPool());
  }

  /** A route, and the variable parts of a path. */
  private record Found(Route route, Map<String, String> variables) {}

  private Found find(String method, String path) throws ServiceException {
    List<String> parts = Route.parts(path.startsWith("/") ? path : "/" + path);
    List<String> methods = new ArrayList<>();
    for (Route route : routes) {
      Optional<Map<String, String>> variables = route.match(parts);
      if (variables.isPresent() && route.method().equals(method)) {
        return new Found(route, variables.get());
      }
      variables.ifPresent(unused -> methods.add(route.method()));
    }
    if (methods.isEmpty()) {
      throw new ServiceException(
          Fault.NOT_FOUND, "there is nothing at this path; see /api/openapi.json");
    }
    throw new ServiceException(
        Fault.METHOD, "this path knows " + String.join(", ", methods) + " only");
  }

  /** Counts a request. Those of users hold their place from here on, as their bodies are long. */
  private UserLimits.Permit admit(Exchange exchange, Route route, Principal user)
      throws ServiceException {
    if (user != null) {
      return limits.enter(user.owner());
    }
    if (!route.template().equals(Health.PATH)) {
      limits.countStranger(exchange.network());
    }
    return () -> {};
  }

  /** What follows the last byte of the body. */
  private void finish(
      Exchange exchange,
      Found found,
      Principal user,
      Map<String, String> query,
      CompletableFuture<String> body,
      UserLimits.Permit permit)
      throws ServiceException, FdtException, IOException, InterruptedException {
    Request request = exchange.request();
    Gate.Sender sender = exchange.sender();
    Route route = found.route();
    Reply reply;
    UserLimits.Permit room =
        user == null && !route.template().equals(Health.PATH)
            ? limits.enterStranger(exchange.network())
            : () -> {};
    try (permit;
        room) {
      Call call =
          new Call(
              user,
              found.variables(),
              query,
              header(request, "If-Match"),
              header(request, Call.IDEMPOTENCY_KEY),
              sender.cookie(),
              sender.attempt(),
              text(body),
              exchange.network(),
              sender.origin().startsWith("https://"),
              () -> gate.isGoodStill(sender, route.scope()));
      reply = handle(route, () -> gate.allow(user, sender, route), call, exchange);
    }
    write(exchange.response(), reply, exchange.callback());
  }

  /** A change that is refused is written down, too. */
  private Reply handle(Route route, AuditLog.Check check, Call call, Exchange exchange)
      throws ServiceException, FdtException, InterruptedException {
    if (route.isChange()) {
      String path = exchange.request().getHttpURI().getPath();
      return audit.handle(route, check, call, path, exchange.sender().address());
    }
    check.run();
    return route.handler().handle(call);
  }

  private static String text(CompletableFuture<String> body) throws ServiceException {
    try {
      return body.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof ServiceException refusal) {
        throw refusal;
      }
      throw e;
    }
  }

  private static Map<String, String> query(Request request, Route route) throws ServiceException {
    Map<String, String> query = new LinkedHashMap<>();
    for (Fields.Field field : Request.extractQueryParameters(request)) {
      boolean isKnown =
          route.parameters().stream()
              .anyMatch(
                  known ->
                      known.place() == Route.Place.QUERY && known.name().equals(field.getName()));
      if (!isKnown && route.parameters().contains(Route.OTHERS)) {
        continue;
      }
      if (!isKnown) {
        throw new ServiceException(
            Fault.INVALID, "this path has no parameter '" + field.getName() + "'");
      }
      query.put(field.getName(), field.getValue());
    }
    return query;
  }

  private static void send(
      Request request, Response response, Page.Content content, Callback callback) {
    response.getHeaders().put("Cache-Control", "no-cache");
    response.getHeaders().put("ETag", content.tag());
    if (content.tag().equals(header(request, "If-None-Match"))) {
      response.setStatus(304);
      callback.succeeded();
      return;
    }
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, content.type());
    response.write(true, ByteBuffer.wrap(content.bytes()), callback);
  }

  private static void write(Response response, Reply reply, Callback callback)
      throws IOException, InterruptedException {
    response.setStatus(reply.status());
    response.getHeaders().put("Cache-Control", "no-store");
    reply.headers().forEach(response.getHeaders()::put);
    reply.cookies().forEach(cookie -> response.getHeaders().add("Set-Cookie", cookie));
    if (reply.stream() != null) {
      try (OutputStream out = Content.Sink.asOutputStream(response)) {
        reply.stream().write(out);
      }
      callback.succeeded();
    } else if (reply.json() == null) {
      callback.succeeded();
    } else if (reply.json() instanceof byte[] text) {
      response.write(true, ByteBuffer.wrap(text), callback);
    } else {
      response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/json");
      response.write(true, bytes(Json.text(reply.json())), callback);
    }
  }

  private static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Answers what Jetty refuses before it is a request of ours. */
  private static boolean unread(Request request, Response response, Callback callback) {
    HEADERS.forEach(response.getHeaders()::put);
    int status = response.getStatus();
    ServiceException refusal;
    if (status == Fault.HEADERS.status()) {
      refusal =
          new ServiceException(
              Fault.HEADERS,
              "the headers of a request have at most %d bytes".formatted(HEADER_BYTES));
    } else if (status < 500) {
      refusal =
          new ServiceException(
              Fault.INVALID, "this is no request that can be read; check its path and headers");
    } else {
      refusal = new ServiceException(Fault.INTERNAL, "a defect; see the log");
    }
    writeProblem(response, refusal, status, callback);
    return true;
  }

  private static void refuse(Exchange exchange, ServiceException refusal) {
    Response response = exchange.response();
    if (response.isCommitted()) {
      exchange.callback().failed(refusal);
      return;
    }
    if (refusal.fault() == Fault.UNAUTHENTICATED) {
      response.getHeaders().put("WWW-Authenticate", "Bearer");
    }
    if (refusal.more().get("retry_after") instanceof Long seconds) {
      response.getHeaders().put("Retry-After", seconds.toString());
    }
    writeProblem(
        response, refusal, refusal.fault().status(), exchange.body().dropping(exchange.callback()));
  }

  private static void writeProblem(
      Response response, ServiceException refusal, int status, Callback callback) {
    Map<String, Object> problem = new LinkedHashMap<>();
    problem.put("type", "urn:fdt:problem:" + refusal.fault().text());
    problem.put("title", refusal.fault().text().replace('-', ' '));
    problem.put("status", (long) status);
    problem.put("detail", refusal.getMessage());
    problem.putAll(refusal.more());
    response.setStatus(status);
    response.getHeaders().put("Cache-Control", "no-store");
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/problem+json");
    response.write(true, bytes(Json.text(problem)), callback);
  }

  /** Ends; requests in flight are broken off. Idempotent. */
  @Override
  public void close() {
    liveRoute.close();
    connector.close();
    try {
      server.stop();
    } catch (Exception e) { // Jetty declares no less; there is nothing left to do
      LOG.warn("the port did not close as it should: {}", e.toString());
    }
  }
}
