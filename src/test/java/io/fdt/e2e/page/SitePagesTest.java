package io.fdt.e2e.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.e2e.Pages;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The pages of the site: their links, and the navigation. */
class SitePagesTest {
  private static final Path PROJECT = Pages.PROJECT;
  private static final Path DOCS = PROJECT.resolve("docs");
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");

  private static List<Path> markdown() throws IOException {
    try (Stream<Path> files = Files.walk(DOCS)) {
      return files.filter(file -> file.toString().endsWith(".md")).sorted().toList();
    }
  }

  @Test
  void linksLeadSomewhere() throws IOException {
    for (Path page : markdown()) {
      String text = Pages.BLOCK.matcher(Files.readString(page)).replaceAll("");
      Matcher link = LINK.matcher(text.replaceAll("`[^`\n]*`", ""));
      while (link.find()) {
        String target = link.group(1);
        if (target.matches("[a-z]+:.*")) {
          continue;
        }
        int hash = target.indexOf('#');
        String file = hash < 0 ? target : target.substring(0, hash);
        Path found = file.isEmpty() ? page : page.getParent().resolve(file).normalize();
        assertThat(found).as("%s: link to %s", page.getFileName(), target).exists();
        if (hash >= 0 && found.toString().endsWith(".md")) {
          assertThat(anchors(found))
              .as("%s: link to %s", page.getFileName(), target)
              .contains(target.substring(hash + 1));
        }
      }
    }
  }

  private static List<String> anchors(Path page) throws IOException {
    return Files.readAllLines(page).stream()
        .filter(line -> line.startsWith("#"))
        .map(line -> line.replaceFirst("^#+ ", "").toLowerCase(Locale.ROOT))
        .map(title -> title.replaceAll("[^\\p{L}\\p{N} _-]", "").replace(' ', '-'))
        .toList();
  }

  @Test
  void theReadmeIsShortAndLeadsToEachKindOfPage() throws IOException {
    String page = Files.readString(PROJECT.resolve("README.md"));

    assertThat(page.lines()).hasSizeLessThanOrEqualTo(100);
    assertThat(page)
        .contains("fdt login", "](docs/images/")
        .contains("](docs/TUTORIAL.md)", "](docs/howto/", "](docs/OPTIONS.md)")
        .contains("](docs/LIBRARY.md)", "](docs/index.md)");
    Matcher link = LINK.matcher(page);
    while (link.find()) {
      assertThat(PROJECT.resolve(link.group(1).replaceFirst("#.*", ""))).exists();
    }
  }

  /** The list of decisions links to each of them. */
  @Test
  void theSiteHasEveryPage() throws IOException {
    String navigation = Files.readString(PROJECT.resolve("site/mkdocs.yml"));
    for (Path page : markdown()) {
      String name = DOCS.relativize(page).toString();
      assertThat(Files.readString(page)).as(name).startsWith("# ");
      if (!name.matches("decisions/(?!README).*")) {
        assertThat(navigation).contains(" " + name + "\n");
      }
    }
    Matcher listed = Pattern.compile("(\\S+\\.md)\n").matcher(navigation);
    while (listed.find()) {
      if (!listed.group(1).equals("reference.md")) { // made of the command's help
        assertThat(DOCS.resolve(listed.group(1))).exists();
      }
    }
  }
}
