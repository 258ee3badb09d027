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
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The files of the page, from the jar. Only listed files are served, from memory: the path of a
 * request never becomes the path of a file. Immutable.
 */
public final class Page {
  private static final List<String> SCRIPTS =
      List.of(
          """
          main api lit format parts list pane files sheet tasks task plot endpoints timers
          tokens admin notices lib/lit-html/lit-html lib/lit-html/directive
          lib/lit-html/directive-helpers lib/lit-html/async-directive
          lib/lit-html/directives/live lib/lit-html/directives/ref
          lib/lit-html/directives/repeat lib/uplot/uPlot.iife.min
          """
              .strip()
              .split("\\s+"));

  /** Icons of Lucide; fdt-service/pom.xml unpacks the same. */
  private static final List<String> ICONS =
      List.of(
          """
          activity arrow-left arrow-right ban bell bookmark check chevron-down
          chevron-right chevron-up circle-alert circle-check circle-pause circle-x
          copy eye eye-off file file-symlink folder folder-open folder-plus folder-up
          hourglass inbox info key-round loader-circle lock log-out mail menu pause
          pencil play plug plus rotate-cw search send server shield-check timer
          trash-2 triangle-alert unplug user webhook x
          """
              .strip()
              .split("\\s+"));

  private static final Pattern DRAWING = Pattern.compile("(?s)<svg[^>]*>(.*)</svg>");

  private static final String ICON_FILE = "icons.svg";
  private static final Map<String, String> FILES = files();

  private static Map<String, String> files() {
    Map<String, String> files = new HashMap<>();
    files.put("index.html", "text/html; charset=utf-8");
    files.put("page.css", "text/css; charset=utf-8");
    files.put("lib/uplot/uPlot.min.css", "text/css; charset=utf-8");
    files.put("icon.svg", "image/svg+xml");
    files.put("missing.html", "text/html; charset=utf-8");
    files.put(ICON_FILE, "image/svg+xml");
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
          byte[] bytes = name.equals(ICON_FILE) ? icons() : read(name);
          String tag = Secrets.hash(new String(bytes, StandardCharsets.UTF_8));
          contents.put("/" + name, new Content(bytes, type, "\"" + tag.substring(0, 20) + "\""));
        });
    contents.put("/", contents.get("/index.html"));
  }

  /** All icons in one file: each is a symbol with the name of the icon as its id. */
  private static byte[] icons() {
    StringBuilder file = new StringBuilder("<svg xmlns=\"http://www.w3.org/2000/svg\">");
    for (String icon : ICONS) {
      Matcher drawing =
          DRAWING.matcher(new String(read("lib/lucide/" + icon + ".svg"), StandardCharsets.UTF_8));
      if (!drawing.find()) {
        throw new IllegalStateException("the icon " + icon + " is no drawing");
      }
      String shapes = drawing.group(1).strip().replaceAll("\\s+", " ");
      file.append("<symbol id=\"%s\" viewBox=\"0 0 24 24\">%s</symbol>".formatted(icon, shapes));
    }
    return file.append("</svg>").toString().getBytes(StandardCharsets.UTF_8);
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

  /** The page for unknown paths. */
  Content missing() {
    return contents.get("/missing.html");
  }

  Optional<Content> find(String path) {
    return Optional.ofNullable(contents.get(path));
  }
}
