package io.fdt.service.web;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.IoReason;
import io.fdt.json.Json;
import io.fdt.service.store.Principal;
import io.fdt.service.store.StoreException;
import io.fdt.service.value.Fault;
import io.fdt.service.value.ServiceException;
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
 * for each request that is being answered. Any thread.
 */
public final class HttpService implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(HttpService.class);

  private static final int MOST_THREADS = 200;
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
  record Doors(Gate gate, UserLimits limits, AuditLog audit, Cookies cookies, Sources sources) {}

  /**
   * Listens.
   *
   * @param address of this machine, as digits
   * @param port 0 for any free one
   * @throws FdtException the port is taken
   */
  static HttpService start(
      Doors doors, List<Route> routes, LiveRoute liveRoute, String address, int port)
      throws FdtException {
    HttpService service = new HttpService(doors, routes, liveRoute, address, port);
    try {
      service.server.start();
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

  /** Jetty puts the address into an exception of its own around that of the system. */
  private static String reason(Exception e) {
    if (e.getCause() instanceof IOException cause) {
      return IoReason.of(cause);
    }
    return e instanceof IOException io ? IoReason.of(io) : "it does not start";
  }

  /** How a program of this machine names the address in a URL: a wildcard includes loopback. */
  static String host(String address) {
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

  private void answer(Request request, Response response, Callback callback) {
    String network = Sources.network(address(request));
    RequestBody body = new RequestBody(request, bytes -> limits.mayDrop(network, bytes));
    try {
      HEADERS.forEach(response.getHeaders()::put);
      String path = request.getHttpURI().getPath();
      Gate.Sender sender = sender(request);
      gate.checkHost(sender);
      Optional<Page.Content> content =
          request.getMethod().equals("GET") ? page.find(path) : Optional.empty();
      if (content.isPresent()) {
        send(request, response, content.get(), callback);
        return;
      }
      write(response, route(request, body, path, sender), callback);
    } catch (ServiceException e) {
      refuse(body, response, e, callback);
    } catch (FdtException e) {
      refuse(body, response, new ServiceException(Fault.ENDPOINT, e.getMessage()), callback);
    } catch (StoreException e) {
      LOG.warn("a request failed: {}", e.getMessage());
      refuse(body, response, new ServiceException(Fault.BUSY, "the database is away"), callback);
    } catch (IOException e) {
      callback.failed(e); // the client is gone
    } catch (InterruptedException e) {
      refuse(body, response, new ServiceException(Fault.BUSY, "the service stops"), callback);
    } catch (RuntimeException e) {
      LOG.error("a defect in {} {}", request.getMethod(), request.getHttpURI().getPath(), e);
      refuse(
          body, response, new ServiceException(Fault.INTERNAL, "a defect; see the log"), callback);
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

  private Reply route(Request request, RequestBody body, String path, Gate.Sender sender)
      throws ServiceException, FdtException, IOException, InterruptedException {
    List<String> parts = Route.parts(path.startsWith("/") ? path : "/" + path);
    List<String> methods = new ArrayList<>();
    for (Route route : routes) {
      Optional<Map<String, String>> variables = route.match(parts);
      if (variables.isPresent() && route.method().equals(request.getMethod())) {
        return call(request, body, route, variables.get(), sender);
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

  private Reply call(
      Request request,
      RequestBody body,
      Route route,
      Map<String, String> variables,
      Gate.Sender sender)
      throws ServiceException, FdtException, IOException, InterruptedException {
    Principal user = route.scope() == null ? null : gate.identify(sender);
    String network = Sources.network(sender.address());
    UserLimits.Permit permit =
        user == null ? limits.enterStranger(network) : limits.enter(user.owner());
    try (permit) {
      Call call =
          new Call(
              user,
              variables,
              query(request, route),
              header(request, "If-Match"),
              header(request, Call.IDEMPOTENCY_KEY),
              sender.cookie(),
              sender.attempt(),
              body.read(),
              network,
              sender.origin().startsWith("https://"),
              () -> gate.isGoodStill(sender, route.scope()));
      Route.Handler handler =
          asked -> {
            gate.allow(user, sender, route);
            return route.handler().handle(asked);
          };
      // A change that is refused is written down, too.
      return route.isChange()
          ? audit.handle(route, handler, call, request.getHttpURI().getPath(), sender.address())
          : handler.handle(call);
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

  private static void refuse(
      RequestBody body, Response response, ServiceException refusal, Callback callback) {
    if (response.isCommitted()) {
      callback.failed(refusal);
      return;
    }
    if (refusal.fault() == Fault.UNAUTHENTICATED) {
      response.getHeaders().put("WWW-Authenticate", "Bearer");
    }
    if (refusal.more().get("retry_after") instanceof Long seconds) {
      response.getHeaders().put("Retry-After", seconds.toString());
    }
    writeProblem(response, refusal, refusal.fault().status(), body.dropping(callback));
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
    try {
      server.stop();
    } catch (Exception e) { // Jetty declares no less; there is nothing left to do
      LOG.warn("the port did not close as it should: {}", e.toString());
    }
  }
}
