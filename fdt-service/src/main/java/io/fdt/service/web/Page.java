package io.fdt.service.web;

import io.fdt.service.value.Secrets;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The files of the page, from the jar. Only those of one list are ever served, from memory: no path
 * of a request becomes the path of a file. Immutable.
 */
final class Page {
  private static final Map<String, String> FILES =
      Map.of(
          "index.html", "text/html; charset=utf-8",
          "page.css", "text/css; charset=utf-8",
          "main.js", "text/javascript; charset=utf-8",
          "api.js", "text/javascript; charset=utf-8",
          "dom.js", "text/javascript; charset=utf-8",
          "browser.js", "text/javascript; charset=utf-8",
          "tasks.js", "text/javascript; charset=utf-8",
          "endpoints.js", "text/javascript; charset=utf-8",
          "plot.js", "text/javascript; charset=utf-8",
          "icon.svg", "image/svg+xml");

  /**
   * One file.
   *
   * @param tag its ETag
   */
  record Content(byte[] bytes, String type, String tag) {}

  private final Map<String, Content> contents = new HashMap<>();

  Page() {
    FILES.forEach(
        (name, type) -> {
          byte[] bytes = read(name);
          String tag = Secrets.hash(new String(bytes, StandardCharsets.UTF_8));
          contents.put("/" + name, new Content(bytes, type, "\"" + tag.substring(0, 20) + "\""));
        });
    contents.put("/", contents.get("/index.html"));
  }

  private static byte[] read(String name) {
    try (InputStream in = Page.class.getResourceAsStream("/io/fdt/service/page/" + name)) {
      if (in == null) {
        throw new IllegalStateException("the jar lacks " + name);
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Optional<Content> find(String path) {
    return Optional.ofNullable(contents.get(path));
  }
}
