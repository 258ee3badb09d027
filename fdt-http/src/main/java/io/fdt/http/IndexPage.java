package io.fdt.http;

import io.fdt.core.model.FileName;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The names that a page about a directory links to, as Apache, nginx and Python write it: links to
 * one name beneath the page. All other links are left out: they lead elsewhere. Pure.
 */
final class IndexPage {
  private static final Pattern LINK =
      Pattern.compile(
          "<a\\s(?:[^>]*?\\s)?href\\s*=\\s*(?:\"([^\"]*)\"|'([^']*)'|([^\\s>\"']+))",
          Pattern.CASE_INSENSITIVE);

  private static final Pattern NUMBER = Pattern.compile("&#(?:[xX]([0-9a-fA-F]{1,6})|(\\d{1,7}));");

  private IndexPage() {}

  /**
   * The names on a page, each once.
   *
   * @param page its URL, with a slash at the end
   * @return whether each is a directory
   */
  static Map<FileName, Boolean> names(URI page, String html) {
    Map<FileName, Boolean> names = new LinkedHashMap<>();
    Matcher link = LINK.matcher(html);
    while (link.find()) {
      String href =
          link.group(1) != null
              ? link.group(1)
              : link.group(2) != null ? link.group(2) : link.group(3);
      String segment = segmentOf(page, text(href).strip());
      if (segment != null) {
        boolean isDirectory = segment.endsWith("/");
        FileName name =
            Urls.nameOfLinked(isDirectory ? segment.substring(0, segment.length() - 1) : segment);
        if (name != null) {
          names.putIfAbsent(name, isDirectory);
        }
      }
    }
    return names;
  }

  /** The last part of a link to a name right beneath the page; null for another link. */
  private static String segmentOf(URI page, String href) {
    URI to;
    try {
      to = page.resolve(new URI(Urls.escaped(href)));
    } catch (URISyntaxException | IllegalArgumentException e) {
      return null;
    }
    boolean isHere =
        to.getHost() != null
            && to.getRawQuery() == null
            && to.getRawPath() != null
            && Urls.haveSameOrigin(page, to)
            && to.getRawPath().startsWith(Urls.pathOf(page));
    String segment = isHere ? to.getRawPath().substring(Urls.pathOf(page).length()) : "";
    int slash = segment.indexOf('/');
    boolean isName = !segment.isEmpty() && (slash < 0 || slash == segment.length() - 1);
    return isName && !segment.equals("/") ? segment : null;
  }

  /** Replaces the references to characters that such pages have. */
  private static String text(String html) {
    String text =
        NUMBER
            .matcher(html)
            .replaceAll(
                found -> {
                  int code =
                      found.group(1) != null
                          ? Integer.parseInt(found.group(1), 16)
                          : Integer.parseInt(found.group(2));
                  return Matcher.quoteReplacement(
                      Character.isValidCodePoint(code) ? Character.toString(code) : "");
                });
    return text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&apos;", "'")
        .replace("&amp;", "&");
  }
}
