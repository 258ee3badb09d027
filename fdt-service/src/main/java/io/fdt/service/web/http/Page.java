package io.fdt.service.web.http;

import io.fdt.service.value.Secrets;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The files of the page, from the jar. Only those of one list are ever served, from memory: no path
 * of a request becomes the path of a file. Immutable.
 */
public final class Page {
  private static final List<String> SCRIPTS =
      List.of(
          """
          main api lit format parts list files sheet tasks task plot endpoints timers
          tokens admin notices lib/lit-html/lit-html lib/lit-html/directive
          lib/lit-html/directive-helpers lib/lit-html/async-directive
          lib/lit-html/directives/live lib/lit-html/directives/ref
          lib/lit-html/directives/repeat lib/uplot/uPlot.iife.min
          """
              .strip()
              .split("\\s+"));

  private static final Map<String, String> FILES = files();

  private static Map<String, String> files() {
    Map<String, String> files = new HashMap<>();
    files.put("index.html", "text/html; charset=utf-8");
    files.put("page.css", "text/css; charset=utf-8");
    files.put("lib/uplot/uPlot.min.css", "text/css; charset=utf-8");
    files.put("icon.svg", "image/svg+xml");
    SCRIPTS.forEach(name -> files.put(name + ".js", "text/javascript; charset=utf-8"));
    return files;
  }

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
