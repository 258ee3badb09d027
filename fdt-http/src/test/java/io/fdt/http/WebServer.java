package io.fdt.http;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A web server on this machine that does what a test says. Any thread. */
final class WebServer implements AutoCloseable {
  static final String MODIFIED = "Sun, 13 Sep 2020 12:26:40 GMT";
  static final long MODIFIED_SECONDS = 1_600_000_000L;

  static {
    // Otherwise each answer waits 40 ms for an acknowledgement.
    System.setProperty("sun.net.httpserver.nodelay", "true");
  }

  private static final Pattern RANGE = Pattern.compile("bytes=(\\d+)-(\\d+)");

  /** Answers in place of the server. */
  interface Fault {
    /** Whether it has answered. */
    boolean answers(HttpExchange exchange) throws IOException;
  }

  private record Page(byte[] bytes, Map<String, String> headers) {}

  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final Map<String, Page> pages = new ConcurrentHashMap<>();
  private final List<String> requests = new CopyOnWriteArrayList<>();
  private volatile Fault fault = exchange -> false;
  private volatile boolean hasRanges = true;

  WebServer() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/", this::handle);
    server.start();
  }

  String url(String path) {
    return "http://127.0.0.1:" + server.getAddress().getPort() + path;
  }

  /**
   * Serves a file with an ETag and a time.
   *
   * @param headers names and values, which may replace these; an empty value removes one
   */
  WebServer file(String path, byte[] bytes, String... headers) {
    Map<String, String> all = new ConcurrentHashMap<>();
    all.put("ETag", "\"" + Arrays.hashCode(bytes) + "\"");
    all.put("Last-Modified", MODIFIED);
    for (int i = 0; i < headers.length; i += 2) {
      all.put(headers[i], headers[i + 1]);
    }
    all.values().removeIf(String::isEmpty);
    pages.put(path, new Page(bytes, all));
    return this;
  }

  /** Serves a page of links. */
  WebServer index(String path, String... hrefs) {
    StringBuilder html = new StringBuilder("<html><h1>Index</h1><a href=\"../\">up</a>");
    for (String href : hrefs) {
      html.append("<li><a class=x href=\"").append(href).append("\">").append(href).append("</a>");
    }
    return file(
        path,
        html.toString().getBytes(StandardCharsets.UTF_8),
        "Content-Type",
        "text/html",
        "ETag",
        "");
  }

  WebServer withoutRanges() {
    hasRanges = false;
    return this;
  }

  void fault(Fault other) {
    fault = other;
  }

  /** Method, path and range of each request, in order. */
  List<String> requests() {
    return requests;
  }

  private void handle(HttpExchange exchange) throws IOException {
    Headers asked = exchange.getRequestHeaders();
    String range = asked.getFirst("Range");
    requests.add(
        exchange.getRequestMethod()
            + " "
            + exchange.getRequestURI()
            + (range == null ? "" : " " + range.replace("bytes=", "")));
    try (exchange) {
      if (!fault.answers(exchange)) {
        answer(exchange, range);
      }
    }
  }

  private void answer(HttpExchange exchange, String range) throws IOException {
    Page page = pages.get(exchange.getRequestURI().getRawPath());
    if (page == null) {
      exchange.sendResponseHeaders(404, -1);
      return;
    }
    Headers headers = exchange.getResponseHeaders();
    page.headers().forEach(headers::set);
    String condition = exchange.getRequestHeaders().getFirst("If-Range");
    boolean isSame = condition == null || page.headers().containsValue(condition);
    Matcher wanted = RANGE.matcher(range == null || !isSame || !hasRanges ? "" : range);
    byte[] body = page.bytes();
    if (wanted.matches()) {
      int start = Integer.parseInt(wanted.group(1));
      int end = Math.min(body.length, Integer.parseInt(wanted.group(2)) + 1);
      headers.set("Content-Range", "bytes %d-%d/%d".formatted(start, end - 1, body.length));
      send(exchange, 206, Arrays.copyOfRange(body, start, end));
    } else {
      send(exchange, 200, body);
    }
  }

  /** Sends a whole answer. */
  static void send(HttpExchange exchange, int status, byte[] body) throws IOException {
    if (exchange.getRequestMethod().equals("HEAD")) {
      exchange.getResponseHeaders().set("Content-Length", "" + body.length);
      exchange.sendResponseHeaders(status, -1);
      return;
    }
    exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
    try (OutputStream out = exchange.getResponseBody()) {
      out.write(body);
    }
  }

  /** Sends a status with one header and no body; a name that is empty adds none. */
  static boolean status(HttpExchange exchange, int status, String name, String value)
      throws IOException {
    if (!name.isEmpty()) {
      exchange.getResponseHeaders().set(name, value);
    }
    exchange.sendResponseHeaders(status, -1);
    return true;
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
