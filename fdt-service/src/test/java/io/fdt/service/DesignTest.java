package io.fdt.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The design of the page, as docs/decisions/page.md describes it: contrast, icons, weight. */
class DesignTest {
  /** Compressed bytes of all that a visit loads: those of the page before its design, and 60 kB. */
  private static final int MOST_BYTES = 65_700 + 60_000;

  private static final Pattern COLOUR = Pattern.compile("--([a-z-]+): (#[0-9a-f]{6});");

  /** Text and the grounds on which it stands. */
  private static final Map<String, List<String>> TEXTS =
      Map.of(
          "text", List.of("ground", "surface", "sunken", "chosen", "bad-soft"),
          "soft", List.of("ground", "surface", "sunken", "chosen"),
          "accent", List.of("ground", "surface"),
          "strong", List.of("chosen"),
          "on-accent", List.of("accent", "strong"),
          "good", List.of("surface", "ground", "good-soft"),
          "bad", List.of("surface", "ground", "bad-soft"),
          "wait", List.of("wait-soft"),
          "surface", List.of("bad"));

  private static String resource(String name) throws IOException {
    try (InputStream in = DesignTest.class.getResourceAsStream("page/" + name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static Map<String, String> colours(String css) {
    Map<String, String> colours = new HashMap<>();
    Matcher matcher = COLOUR.matcher(css);
    while (matcher.find()) {
      colours.put(matcher.group(1), matcher.group(2));
    }
    return colours;
  }

  @Test
  void textHasAContrastOfFourAndAHalfInBothThemes() throws Exception {
    String[] themes =
        resource("page.css").split("\\* \\{ box-sizing", 2)[0].split("prefers-color-scheme: dark");
    assertThat(themes).hasSize(2);
    for (String theme : themes) {
      Map<String, String> colours = colours(theme);
      List<String> poor = new ArrayList<>();
      TEXTS.forEach(
          (text, grounds) ->
              grounds.forEach(
                  ground -> {
                    double contrast = contrast(colours.get(text), colours.get(ground));
                    if (contrast < 4.5) {
                      poor.add("%s on %s: %.2f".formatted(text, ground, contrast));
                    }
                  }));
      assertThat(poor).isEmpty();
      assertThat(contrast(colours.get("edge"), colours.get("surface")))
          .as("edges of controls")
          .isGreaterThanOrEqualTo(3);
    }
  }

  private static double contrast(String one, String other) {
    double lighter = Math.max(luminance(one), luminance(other));
    double darker = Math.min(luminance(one), luminance(other));
    return (lighter + 0.05) / (darker + 0.05);
  }

  private static double luminance(String colour) {
    double sum = 0;
    double[] weights = {0.2126, 0.7152, 0.0722};
    for (int i = 0; i < 3; i++) {
      double part = Integer.parseInt(colour.substring(1 + 2 * i, 3 + 2 * i), 16) / 255.0;
      sum += weights[i] * (part <= 0.04045 ? part / 12.92 : Math.pow((part + 0.055) / 1.055, 2.4));
    }
    return sum;
  }

  /** All colours are tokens: none is written anywhere else. */
  @Test
  void coloursAreTokens() throws Exception {
    String rules = resource("page.css").split("\\* \\{ box-sizing", 2)[1];
    assertThat(rules).doesNotContainPattern("#[0-9a-fA-F]{3,8}\\b(?![^{]*\\{)");
    assertThat(rules).doesNotContainPattern("\\brgba?\\(");
  }

  @Test
  void everyIconThatIsUsedIsServedAndTheOtherWayRound(@TempDir java.nio.file.Path root)
      throws Exception {
    Site site = new Site(root);
    try {
      Rest rest = new Rest(site.service().url(), "");
      String icons = rest.get("/icons.svg").expect(200).text();
      Matcher served = Pattern.compile("<symbol id=\"([a-z0-9-]+)\"").matcher(icons);
      TreeSet<String> names = new TreeSet<>();
      while (served.find()) {
        names.add(served.group(1));
      }
      StringBuilder scripts = new StringBuilder();
      int bytes = compressed(icons);
      for (String file : files(rest)) {
        String text = rest.get("/" + file).expect(200).text();
        bytes += compressed(text);
        if (!file.startsWith("lib/")) {
          scripts.append(text);
        }
      }
      assertThat(names).allMatch(name -> scripts.indexOf("'" + name + "'") >= 0);
      Matcher used = Pattern.compile("\\bicon\\('([a-z0-9-]+)'").matcher(scripts);
      while (used.find()) {
        assertThat(names).contains(used.group(1));
      }
      assertThat(bytes).as("compressed bytes of the page").isLessThan(MOST_BYTES);
    } finally {
      site.close();
    }
  }

  /** The files that the first one loads, directly or by another one. */
  private static Set<String> files(Rest rest) throws Exception {
    TreeSet<String> files = new TreeSet<>(List.of("index.html", "icon.svg"));
    List<String> unread = new ArrayList<>(List.of("index.html"));
    Pattern link =
        Pattern.compile(
            "(?:href|src)=\"([a-zA-Z/.-]+\\.(?:js|css))\"|from ?[\"']([^\"']+\\.js)[\"']");
    while (!unread.isEmpty()) {
      String file = unread.remove(0);
      Matcher links = link.matcher(rest.get("/" + file).expect(200).text());
      while (links.find()) {
        String name = links.group(1) == null ? links.group(2) : links.group(1);
        String found =
            java.net.URI.create("/" + file).resolve(name).getPath().replaceFirst("^/", "");
        if (files.add(found)) {
          unread.add(found);
        }
      }
    }
    return files;
  }

  private static int compressed(String text) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream zip = new GZIPOutputStream(bytes)) {
      zip.write(text.getBytes(StandardCharsets.UTF_8));
    }
    return bytes.size();
  }

  /** A person at a wrong address gets a page; a program gets a problem. */
  @Test
  void aWrongAddressHasAPage(@TempDir java.nio.file.Path root) throws Exception {
    Site site = new Site(root);
    try {
      Rest rest = new Rest(site.service().url(), "");
      Rest.Answer page =
          rest.send("GET", "/no/such/place", null, "Accept", "text/html,*/*").expect(404);
      assertThat(page.text()).contains("<h1>No such page</h1>", "href=\"/\"");
      assertThat(rest.get("/no/such/place").expect(404).text())
          .contains("urn:fdt:problem:not-found");
      rest.send("GET", "/healthz", null, "Accept", "text/html").expect(200);
    } finally {
      site.close();
    }
  }
}
