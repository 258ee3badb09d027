package io.fdt.service.web;

import java.io.IOException;
import java.io.OutputStream;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The answer to a request. Immutable.
 *
 * @param status of HTTP
 * @param headers beyond those that every answer has
 * @param json the body; null for none
 * @param stream writes the body in its stead; null for none
 */
record Reply(int status, Map<String, String> headers, Object json, Stream stream) {
  /** Writes a body piece by piece. */
  @FunctionalInterface
  interface Stream {
    void write(OutputStream out) throws IOException, InterruptedException;
  }

  static Reply json(Object body) {
    return new Reply(200, Map.of(), body, null);
  }

  static Reply created(String location, Object body) {
    return new Reply(201, Map.of("Location", location), body, null);
  }

  static Reply empty() {
    return new Reply(204, Map.of(), null, null);
  }

  static Reply stream(String type, Stream stream) {
    return new Reply(200, Map.of("Content-Type", type), null, stream);
  }

  Reply with(String header, String value) {
    Map<String, String> all = new LinkedHashMap<>(headers);
    all.put(header, value);
    return new Reply(status, all, json, stream);
  }
}
