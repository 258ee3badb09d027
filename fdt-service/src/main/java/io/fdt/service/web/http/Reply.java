package io.fdt.service.web.http;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The answer to a request. Immutable.
 *
 * @param status of HTTP
 * @param headers beyond those that every answer has
 * @param cookies values of Set-Cookie
 * @param user the user who has signed in with this request; empty for none
 * @param json the body, or its bytes if it has another type; null for none
 * @param stream writes the body instead; null for none
 */
public record Reply(
    int status,
    Map<String, String> headers,
    List<String> cookies,
    String user,
    Object json,
    Stream stream) {
  /** Writes a body piece by piece. */
  @FunctionalInterface
  public interface Stream {
    void write(OutputStream out) throws IOException, InterruptedException;
  }

  public static Reply json(Object body) {
    return new Reply(200, Map.of(), List.of(), "", body, null);
  }

  /** A text of another type. A slow client does not block a thread. */
  public static Reply text(String type, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return new Reply(200, Map.of("Content-Type", type), List.of(), "", bytes, null);
  }

  public static Reply created(String location, Object body) {
    return new Reply(201, Map.of("Location", location), List.of(), "", body, null);
  }

  public static Reply empty() {
    return new Reply(204, Map.of(), List.of(), "", null, null);
  }

  public static Reply stream(String type, Stream stream) {
    return new Reply(200, Map.of("Content-Type", type), List.of(), "", null, stream);
  }

  public Reply with(String header, String value) {
    Map<String, String> all = new LinkedHashMap<>(headers);
    all.put(header, value);
    return new Reply(status, all, cookies, user, json, stream);
  }

  /** Sends a browser elsewhere, with GET. */
  public static Reply redirect(URI address) {
    return new Reply(303, Map.of("Location", address.toString()), List.of(), "", null, null);
  }

  /** Adds a cookie. */
  public Reply cookie(String cookie) {
    List<String> all = new ArrayList<>(cookies);
    all.add(cookie);
    return new Reply(status, headers, all, user, json, stream);
  }

  /** Names the user who has signed in, for the audit log. */
  public Reply by(String name) {
    return new Reply(status, headers, cookies, name, json, stream);
  }
}
