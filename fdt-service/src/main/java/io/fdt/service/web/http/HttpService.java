package io.fdt.service.web.http;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.IoReason;
import io.fdt.json.Json;
import io.fdt.service.run.Endpoints;
import io.fdt.service.store.StoreException;
import io.fdt.service.value.Fault;
import io.fdt.service.value.ServiceException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BiPredicate;
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
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * HTTP: finds the route of a request, passes it through the filters to the handler, and writes the
 * answer. One thread for each request that is being answered, and none while its body arrives. Any
 * thread.
 */
public final class HttpService implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(HttpService.class);

  /** The most bytes of a user's request, and of memory while it arrives. */
  private static final int MOST_BYTES = 1 << 20;

  private static final int IDLE_MILLIS = 70_000;

  /** The most bytes of all headers of one request. */
  private static final int HEADER_BYTES = 16 << 10;

  /** Headers of every answer: nothing from other sites, nothing inline, no frame. */
  private static final Map<String, String> HEADERS =
      Map.of(
          "Content-Security-Policy",
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src"
              + " 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none';"
              // Text becomes HTML only in the fixed parts of the page's templates.
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
  private final Entrance entrance;
  private final List<Route> routes;
  private final Route.Handler chain;
  private final Page page = new Page();
  private final StrangerBodies strangers = new StrangerBodies();

  private HttpService(Entrance entrance, List<Route> routes, String address, int port) {
    this.entrance = entrance;
    this.routes = List.copyOf(routes);
    Route.Handler next = request -> request.route().handler().handle(request);
    for (int i = entrance.filters().size() - 1; i >= 0; i--) {
      Filter filter = entrance.filters().get(i);
      Route.Handler rest = next;
      next = request -> filter.onBody(request, rest);
    }
    chain = next;
    QueuedThreadPool threads = new QueuedThreadPool(entrance.mostThreads(), 4);
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

  /**
   * The entry of requests to the service.
   *
   * @param hosts accepted host names, without port
   * @param filters in the order in which a request passes them
   * @param mayDrop takes bytes of a refused body from the budget of a network; false if exhausted
   * @param mostThreads for answers, and what Jetty needs itself
   * @param streams ends streamed answers
   */
  public record Entrance(
      Set<String> hosts,
      Sources sources,
      SessionCookies cookies,
      List<Filter> filters,
      BiPredicate<String, Long> mayDrop,
      int mostThreads,
      Runnable streams) {}

  /**
   * Listens on a port. Clients may connect, and wait until {@link #answer}.
   *
   * @param address of this machine, numeric
   * @param port 0 for any free one
   * @throws FdtException the port is taken
   */
  public static HttpService start(Entrance entrance, List<Route> routes, String address, int port)
      throws FdtException {
    HttpService service = new HttpService(entrance, routes, address, port);
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
   * Begins to answer requests. Once.
   *
   * @throws FdtException no threads are available
   */
  public void answer() throws FdtException {
    try {
      server.start();
    } catch (Exception e) { // Jetty declares no less
      throw new FdtException(
          ErrorCode.RESOURCES, "the page cannot be served: " + reason(e) + "; start it again", e);
    }
  }

  /** Jetty wraps the system's exception to add the address. */
  private static String reason(Exception e) {
    if (e.getCause() instanceof IOException cause) {
      return IoReason.of(cause);
    }
    return e instanceof IOException io ? IoReason.of(io) : "it does not start";
  }

  /** The host in URLs for programs of this machine: loopback for a wildcard address. */
  public static String host(String address) {
    boolean isAny = address.equals("0.0.0.0") || address.matches("[0:]+");
    return isAny ? "127.0.0.1" : address.indexOf(':') < 0 ? address : "[" + address + "]";
  }

  /** The host for programs of this machine. */
  public String host() {
    return host(connector.getHost());
  }

  /** The port on which it listens. */
  public int port() {
    return connector.getLocalPort();
  }

  /** A request that is being answered. */
  private record Exchange(
      RequestContext context, RequestBody body, Response response, Callback callback) {}

  /** A part of the work on a request. */
  @FunctionalInterface
  private interface Step {
    void run() throws ServiceException, FdtException, IOException, InterruptedException;
  }

  private void answer(Request request, Response response, Callback callback) {
    RequestContext context = new RequestContext(request, entrance.sources(), entrance.cookies());
    RequestBody body =
        new RequestBody(request, bytes -> entrance.mayDrop().test(context.network(), bytes));
    Exchange exchange = new Exchange(context, body, response, callback);
    HEADERS.forEach(response.getHeaders()::put);
    guarded(exchange, () -> begin(exchange, request.getMethod()));
  }

  private static void guarded(Exchange exchange, Step step) {
    try {
      step.run();
    } catch (ServiceException e) {
      refuse(exchange, e);
    } catch (FdtException e) {
      refuse(exchange, Endpoints.refusal(e));
    } catch (StoreException e) {
      LOG.debug("a request failed: {}", e.getMessage());
      refuse(exchange, Fault.BUSY.of(e.getMessage()));
    } catch (IOException e) {
      exchange.callback().failed(e); // the client is gone
    } catch (InterruptedException e) {
      refuse(exchange, Fault.BUSY.of("the service stops"));
    } catch (RuntimeException e) {
      LOG.error("defect target={}", exchange.context().target(), e);
      refuse(exchange, Fault.INTERNAL.of("a defect; see the log"));
    }
  }

  private void begin(Exchange exchange, String method) throws ServiceException {
    RequestContext context = exchange.context();
    checkHost(context.header("Host").replaceFirst(":[0-9]*$", ""));
    Optional<Page.Content> content =
        method.equals("GET") ? page.find(context.target()) : Optional.empty();
    if (content.isPresent()) {
      send(exchange, content.get());
      return;
    }
    if (method.equals("GET") && isTyped(context)) {
      exchange.response().setStatus(Fault.NOT_FOUND.status());
      send(exchange, page.missing());
      return;
    }
    find(method, context);
    for (Filter filter : entrance.filters()) {
      filter.onHeaders(context);
    }
    boolean isStranger = context.user() == null;
    CompletableFuture<String> body =
        exchange.body().read(isStranger ? StrangerBodies.MOST_BYTES : MOST_BYTES);
    Step rest = () -> finish(exchange, body);
    if (body.isDone()) {
      guarded(exchange, rest);
      return;
    }
    if (isStranger) {
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

  /** Whether a browser requests a page at an unknown path. */
  private boolean isTyped(RequestContext context) {
    List<String> parts = Route.parts(context.target());
    return context.header("Accept").contains("text/html")
        && routes.stream().allMatch(route -> route.match(parts).isEmpty());
  }

  /** Refuses foreign host names: a page under such a name could read answers (DNS rebinding). */
  private void checkHost(String host) throws ServiceException {
    if (!entrance.hosts().contains(host)) {
      throw Fault.FORBIDDEN.of(
          "this service is not called '%s'; start it with --name %s".formatted(host, host));
    }
  }

  private void find(String method, RequestContext context) throws ServiceException {
    String path = context.target();
    List<String> parts = Route.parts(path.startsWith("/") ? path : "/" + path);
    List<String> methods = new ArrayList<>();
    for (Route route : routes) {
      Optional<Map<String, String>> variables = route.match(parts);
      if (variables.isPresent() && route.method().equals(method)) {
        context.found(route, variables.get());
        return;
      }
      variables.ifPresent(unused -> methods.add(route.method()));
    }
    if (methods.isEmpty()) {
      throw Fault.NOT_FOUND.of("there is nothing at this path; see /api/openapi.json");
    }
    throw Fault.METHOD.of("this path knows " + String.join(", ", methods) + " only");
  }

  /** Answers once the body has arrived. */
  private void finish(Exchange exchange, CompletableFuture<String> body)
      throws ServiceException, FdtException, IOException, InterruptedException {
    exchange.context().body(text(body));
    Reply reply = chain.handle(exchange.context());
    exchange.context().release();
    write(exchange.response(), reply, exchange.callback());
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

  private static void send(Exchange exchange, Page.Content content) {
    Response response = exchange.response();
    Callback callback = exchange.callback();
    response.getHeaders().put("Cache-Control", "no-cache");
    response.getHeaders().put("ETag", content.tag());
    if (content.tag().equals(exchange.context().header("If-None-Match"))) {
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

  /** Answers requests that Jetty refuses. */
  private static boolean unread(Request request, Response response, Callback callback) {
    HEADERS.forEach(response.getHeaders()::put);
    int status = response.getStatus();
    ServiceException refusal;
    if (status == Fault.HEADERS.status()) {
      refusal =
          Fault.HEADERS.of(
              "the headers of a request have at most %d bytes".formatted(HEADER_BYTES));
    } else if (status < 500) {
      refusal = Fault.INVALID.of("this is no request that can be read; check its path and headers");
    } else {
      refusal = Fault.INTERNAL.of("a defect; see the log");
    }
    writeProblem(response, refusal, status, callback);
    return true;
  }

  private static void refuse(Exchange exchange, ServiceException refusal) {
    exchange.context().release();
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

  /** Stops; aborts requests in flight. Idempotent. */
  @Override
  public void close() {
    entrance.streams().run();
    connector.close();
    try {
      server.stop();
    } catch (Exception e) { // Jetty declares no less; there is nothing left to do
      LOG.warn("the port did not close as it should reason={}", e.toString());
    }
  }
}
