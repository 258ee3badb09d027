package io.fdt.service.web.http;

import io.fdt.core.error.FdtException;
import io.fdt.service.store.access.Scope;
import io.fdt.service.value.ServiceException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.eclipse.jetty.util.URIUtil;

/**
 * One operation of the REST interface: its path, the scope it needs and its handler.
 * /api/openapi.json is made from these rows. Immutable.
 *
 * @param method of HTTP
 * @param template a path with variable parts in braces
 * @param scope required of a token; null for a public route
 * @param summary one line
 * @param parameters of the address and of the body
 * @param isChange whether it is a change, which the audit log records
 */
public record Route(
    String method,
    String template,
    Scope scope,
    String summary,
    List<Parameter> parameters,
    boolean isChange,
    Handler handler) {
  @FunctionalInterface
  public interface Handler {
    Reply handle(RequestContext request)
        throws ServiceException, FdtException, InterruptedException;
  }

  /**
   * A parameter that a client sends.
   *
   * @param type of JSON Schema, or "strings"
   * @param place its place in a request
   */
  public record Parameter(
      String name, String type, Place place, boolean isRequired, String description) {}

  /** A part of a request. */
  public enum Place {
    QUERY,
    HEADER,
    BODY
  }

  /** Other parameters are ignored, as OAuth requires, instead of refused. */
  public static final Parameter OTHERS =
      new Parameter("*", "string", Place.QUERY, false, "is ignored");

  public static Route get(
      String template, Scope scope, String summary, Handler handler, Parameter... parameters) {
    List<Parameter> all = List.of(parameters);
    return new Route("GET", template, scope, summary, all, all.contains(OTHERS), handler);
  }

  public static Route post(
      String template, Scope scope, String summary, Handler handler, Parameter... parameters) {
    return new Route("POST", template, scope, summary, List.of(parameters), true, handler);
  }

  /** A POST that changes nothing: a question too long for an address. */
  public static Route question(
      String template, Scope scope, String summary, Handler handler, Parameter... parameters) {
    return new Route("POST", template, scope, summary, List.of(parameters), false, handler);
  }

  public static Route put(
      String template, Scope scope, String summary, Handler handler, Parameter... parameters) {
    return new Route("PUT", template, scope, summary, List.of(parameters), true, handler);
  }

  public static Route patch(
      String template, Scope scope, String summary, Handler handler, Parameter... parameters) {
    return new Route("PATCH", template, scope, summary, List.of(parameters), true, handler);
  }

  public static Route delete(
      String template, Scope scope, String summary, Handler handler, Parameter... parameters) {
    return new Route("DELETE", template, scope, summary, List.of(parameters), true, handler);
  }

  public static Parameter query(String name, String type, String description) {
    return new Parameter(name, type, Place.QUERY, false, description);
  }

  public static Parameter header(String name, String description) {
    return new Parameter(name, "string", Place.HEADER, false, description);
  }

  public static Parameter body(String name, String type, String description) {
    return new Parameter(name, type, Place.BODY, false, description);
  }

  public static Parameter required(String name, String type, String description) {
    return new Parameter(name, type, Place.BODY, true, description);
  }

  public Route {
    parameters = List.copyOf(parameters);
  }

  /** The variable parts of a path, by name; empty when it does not match. */
  public Optional<Map<String, String>> match(List<String> path) {
    List<String> parts = parts(template);
    if (parts.size() != path.size()) {
      return Optional.empty();
    }
    Map<String, String> variables = new HashMap<>();
    for (int i = 0; i < parts.size(); i++) {
      String part = parts.get(i);
      if (part.startsWith("{")) {
        variables.put(part.substring(1, part.length() - 1), URIUtil.decodePath(path.get(i)));
      } else if (!part.equals(path.get(i))) {
        return Optional.empty();
      }
    }
    return Optional.of(variables);
  }

  /** The names in braces. */
  public List<String> variables() {
    List<String> names = new ArrayList<>();
    for (String part : parts(template)) {
      if (part.startsWith("{")) {
        names.add(part.substring(1, part.length() - 1));
      }
    }
    return names;
  }

  public static List<String> parts(String path) {
    return List.of(path.substring(1).split("/", -1));
  }
}
