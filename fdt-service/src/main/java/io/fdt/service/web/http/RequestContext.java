package io.fdt.service.web.http;

import io.fdt.service.store.access.Principal;
import io.fdt.service.value.Fault;
import io.fdt.service.value.Fields;
import io.fdt.service.value.ServiceException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.eclipse.jetty.http.HttpCookie;
import org.eclipse.jetty.server.Request;

/**
 * A request during its processing: its sender, its network, its route. Filters add the user.
 * Confined to one thread at a time.
 */
public final class RequestContext {
  public static final String IDEMPOTENCY_KEY = "Idempotency-Key";

  private final Request request;
  private final String address;
  private final String network;
  private final String cookie;
  private final String attempt;
  private final Map<String, String> query = new LinkedHashMap<>();
  private final Deque<Runnable> releases = new ArrayDeque<>();
  private Route route;
  private Map<String, String> path = Map.of();
  private Principal user;
  private BooleanSupplier isGoodStill = () -> true;
  private String body = "";
  private String about = "";

  RequestContext(Request request, Sources sources, SessionCookies cookies) {
    this.request = request;
    // A client may send one header, and its proxy add another.
    String forwarded = String.join(",", request.getHeaders().getValuesList("X-Forwarded-For"));
    this.address = sources.address(Request.getRemoteAddr(request), forwarded);
    this.network = Sources.network(address);
    Map<String, String> all = new HashMap<>();
    for (HttpCookie one : Request.getCookies(request)) {
      all.put(one.getName(), one.getValue());
    }
    this.cookie = cookies.session(all);
    this.attempt = cookies.attempt(all);
  }

  /** Sets the route, with the variable parts of its path. */
  void found(Route route, Map<String, String> variables) throws ServiceException {
    this.route = route;
    this.path = variables;
    for (var field : Request.extractQueryParameters(request)) {
      boolean isKnown =
          route.parameters().stream()
              .anyMatch(
                  known ->
                      known.place() == Route.Place.QUERY && known.name().equals(field.getName()));
      if (isKnown) {
        query.put(field.getName(), field.getValue());
      } else if (!route.parameters().contains(Route.OTHERS)) {
        throw Fault.INVALID.of("this path has no parameter '" + field.getName() + "'");
      }
    }
  }

  void body(String text) {
    body = text;
  }

  /**
   * Sets the user.
   *
   * @param isGoodStill checks the user again, during a long answer
   */
  public void identified(Principal found, BooleanSupplier isGoodStill) {
    this.user = found;
    this.isGoodStill = isGoodStill;
  }

  /** Adds a release that runs when the handler has returned, or the request is refused. */
  public void atEnd(Runnable release) {
    releases.push(release);
  }

  void release() {
    while (!releases.isEmpty()) {
      releases.pop().run();
    }
  }

  public Route route() {
    return route;
  }

  /** The user; null on a public route. */
  public Principal user() {
    return user;
  }

  /** The name of the user; empty on a public route. */
  public String owner() {
    return user == null ? "" : user.owner();
  }

  /** A variable part of the path. */
  public String path(String name) {
    return path.get(name);
  }

  /** The whole path. */
  public String target() {
    return request.getHttpURI().getPath();
  }

  /** Names the object of a change for the audit log. */
  public void about(String name) {
    about = name;
  }

  /** The object of a change, in words; empty for none. */
  public String about() {
    return about;
  }

  /** The parameters of the address, by name. */
  public Map<String, String> query() {
    return query;
  }

  /** A header; empty if missing. */
  public String header(String name) {
    String value = request.getHeaders().get(name);
    return value == null ? "" : value;
  }

  public boolean hasHeader(String name) {
    return request.getHeaders().contains(name);
  }

  /** The key that identifies a repeated submission; empty if missing. */
  public String idempotencyKey() {
    return header(IDEMPOTENCY_KEY).replaceFirst("^\"(.*)\"$", "$1");
  }

  /** The cookie of the session; empty if missing. */
  public String cookie() {
    return cookie;
  }

  /** The cookie of a sign-in in progress; empty if missing. */
  public String attempt() {
    return attempt;
  }

  /** The address of the client; behind a proxy the one that the proxy names, for the audit log. */
  public String address() {
    return address;
  }

  /** The network of the client, the unit of limits. */
  public String network() {
    return network;
  }

  /** Whether the browser reports that it uses TLS. */
  public boolean isSecure() {
    return header("Origin").startsWith("https://");
  }

  /** Whether the token or the cookie is still valid for the route. */
  public boolean isGoodStill() {
    return isGoodStill.getAsBoolean();
  }

  public Fields fields() throws ServiceException {
    return Fields.ofJson(body);
  }

  /** A parameter that is a whole number. */
  public long number(String name, long least, long most, long otherwise) throws ServiceException {
    String text = query.get(name);
    if (text == null) {
      return otherwise;
    }
    try {
      long number = Long.parseLong(text);
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      // The same error as for a number out of range.
    }
    throw Fault.INVALID.of("'%s' must be a whole number, %d to %d".formatted(name, least, most));
  }

  /** A parameter that is a time, as milliseconds since 1970; empty if missing. */
  public Optional<Long> time(String name) throws ServiceException {
    String text = query.get(name);
    if (text == null) {
      return Optional.empty();
    }
    try {
      return Optional.of(Instant.parse(text).toEpochMilli());
    } catch (DateTimeException | ArithmeticException e) {
      throw Fault.INVALID.of("'%s' must be a time such as 2027-01-31T12:00:00Z".formatted(name));
    }
  }

  /** A parameter that is true or false; false if missing. */
  public boolean flag(String name) throws ServiceException {
    String text = query.getOrDefault(name, "false");
    if (!text.equals("true") && !text.equals("false")) {
      throw Fault.INVALID.of("'" + name + "' must be true or false");
    }
    return text.equals("true");
  }

  /**
   * The version that If-Match names; 0 for any.
   *
   * @throws ServiceException IF_MATCH when the header is missing
   */
  public long version() throws ServiceException {
    String ifMatch = header("If-Match");
    if (ifMatch.isEmpty()) {
      throw Fault.IF_MATCH.of(
          "this needs the header If-Match with the ETag that you have seen, or *");
    }
    if (ifMatch.equals("*")) {
      return 0;
    }
    try {
      return Long.parseLong(ifMatch.replace("\"", ""));
    } catch (NumberFormatException e) {
      throw Fault.CHANGED.of("If-Match " + ifMatch + " was never an ETag here");
    }
  }
}
