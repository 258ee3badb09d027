package io.fdt.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The commands of the tutorial and of the how-to pages, run as they stand there. A comment before a
 * block says where: {@code run on laptop}, {@code run on storage1}; {@code parse: REASON} is for
 * commands that need what a test has not, which another test parses; {@code text} is none.
 */
class SitePagesTest {
  private static final Path PROJECT = project();
  private static final Path DOCS = PROJECT.resolve("docs");

  private static final Pattern BLOCK =
      Pattern.compile("(?s)(?:<!-- ([^>]*?) -->\n)?```(\\w*)\n(.*?)```");

  private static final Pattern WORD = Pattern.compile("'([^']*)'|\"([^\"]*)\"|(\\S+)");
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");

  @RegisterExtension private final Lab lab = new Lab();
  private final Map<String, RunningCommand> servers = new TreeMap<>();

  private static Path project() {
    Path directory = Path.of("").toAbsolutePath();
    while (!Files.exists(directory.resolve("site/mkdocs.yml"))) {
      directory = directory.getParent();
    }
    return directory;
  }

  static Stream<String> pages() throws IOException {
    try (Stream<Path> files = Files.list(DOCS.resolve("howto"))) {
      return Stream.concat(
          Stream.of("TUTORIAL.md"), files.map(file -> "howto/" + file.getFileName()).sorted())
          .toList()
          .stream();
    }
  }

  @ParameterizedTest
  @MethodSource("pages")
  void theCommandsOfAPageDoWhatItSays(String page) throws IOException {
    String text = Files.readString(DOCS.resolve(page));
    if (!text.contains("run on storage1")) {
      Shell.run(
          lab.directory("storage1"), "mkdir -p data/run42/b incoming; touch data/run42/{a,b/c}.h5");
      Shell.run(lab.directory("storage2"), "mkdir scratch");
      serve("storage1", List.of("data", "incoming:rw"));
      serve("storage2", List.of("scratch:rw"));
    }
    int commands = 0;
    Matcher block = BLOCK.matcher(text);
    while (block.find()) {
      String mark = block.group(1) == null ? "" : block.group(1);
      assertThat(mark)
          .as("%s: the mark of %s", page, block.group(3))
          .matches("(?s)run on \\w+|parse: .+|text");
      if (mark.startsWith("run on ")) {
        for (String line : block.group(3).split("\n")) {
          run(mark.substring("run on ".length()), line, page);
          commands++;
        }
      }
    }
    assertThat(commands).as(page).isPositive();
  }

  private void run(String host, String line, String page) throws IOException {
    Path directory = lab.directory(host);
    if (!line.startsWith("fdt ")) {
      Shell.run(directory, line);
      return;
    }
    List<String> words = words(line.substring("fdt ".length()));
    if (words.get(0).equals("serve")) {
      serve(host, words.subList(1, words.size()));
      return;
    }
    Outcome outcome = lab.run(directory, words.toArray(String[]::new));
    assertThat(outcome.status()).as("%s: %s: %s", page, line, outcome).isZero();
  }

  /** A server that is found by the name of its host. */
  private void serve(String host, List<String> words) throws IOException {
    List<String> line = new ArrayList<>(List.of("serve", "--bind", "127.0.0.1", "--port", "0"));
    line.addAll(words);
    RunningCommand server = lab.start(lab.directory(host), line.toArray(String[]::new));
    servers.put(host, server);
    StringBuilder named = new StringBuilder();
    servers.forEach(
        (name, running) ->
            named.append(
                "[server %s]\naddress = 127.0.0.1\nport = %d\n".formatted(name, running.port())));
    Files.writeString(lab.home().resolve("client.conf"), named);
  }

  private static List<String> words(String line) {
    List<String> words = new ArrayList<>();
    Matcher word = WORD.matcher(line);
    while (word.find()) {
      words.add(
          word.group(1) != null
              ? word.group(1)
              : word.group(2) != null ? word.group(2) : word.group(3));
    }
    return words;
  }

  private static List<Path> markdown() throws IOException {
    try (Stream<Path> files = Files.walk(DOCS)) {
      return files.filter(file -> file.toString().endsWith(".md")).sorted().toList();
    }
  }

  @Test
  void linksLeadSomewhere() throws IOException {
    for (Path page : markdown()) {
      String text = BLOCK.matcher(Files.readString(page)).replaceAll("");
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

  /** Of the decisions and the measurements, the page of each list leads to the others. */
  @Test
  void theSiteHasEveryPage() throws IOException {
    String navigation = Files.readString(PROJECT.resolve("site/mkdocs.yml"));
    for (Path page : markdown()) {
      String name = DOCS.relativize(page).toString();
      assertThat(Files.readString(page)).as(name).startsWith("# ");
      if (!name.matches("(decisions|measurements)/(?!README).*")) {
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
