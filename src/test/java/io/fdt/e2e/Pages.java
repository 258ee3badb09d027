package io.fdt.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The pages of the project, and the blocks of commands in them. */
public final class Pages {
  public static final Path PROJECT = project();

  public static final Pattern BLOCK =
      Pattern.compile("(?s)(?:<!-- ([^>]*?) -->\n)?```(\\w*)\n(.*?)```");

  /** A line that has a command of ours. */
  private static final Pattern COMMAND =
      Pattern.compile(
          "(?m)^(.*[|;&(] *|\\w*\\$ +|sudo .* )?(fdt|java -jar \\S*fdt\\.jar) +(-|[a-z])");

  private static final String RUN = "run on ";
  private static final String PARSE = "parse: ";
  private static final String MARK = "(?s)run on \\w+|parse: .+|text|example: .*";

  private Pages() {}

  /**
   * A block of a page.
   *
   * @param mark the comment before it
   */
  public record Block(String page, String mark, String text) {
    public boolean isRun() {
      return mark.startsWith(RUN);
    }

    /** Where it runs. */
    public String host() {
      return mark.substring(RUN.length());
    }

    public boolean isOnlyParsed() {
      return mark.startsWith(PARSE);
    }

    /** Why it does not run. */
    public String reason() {
      return mark.substring(PARSE.length());
    }
  }

  private static Path project() {
    Path directory = Path.of("").toAbsolutePath();
    while (!Files.exists(directory.resolve("site/mkdocs.yml"))) {
      directory = directory.getParent();
    }
    return directory;
  }

  /** README.md and its neighbours, the site's pages, the examples: relative to the project. */
  public static List<String> all() {
    List<String> pages = new ArrayList<>();
    for (String directory : List.of("", "docs", "docs/howto", "examples")) {
      int depth = directory.equals("examples") ? 2 : 1;
      try (Stream<Path> files = Files.walk(PROJECT.resolve(directory), depth)) {
        files
            .filter(file -> file.toString().endsWith(".md"))
            .map(file -> PROJECT.relativize(file).toString())
            .forEach(pages::add);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return pages.stream().sorted().toList();
  }

  /** The blocks of a page that have a mark; each one with a command of ours must have one. */
  public static List<Block> blocks(String page) {
    List<Block> blocks = new ArrayList<>();
    Matcher block = BLOCK.matcher(text(page));
    while (block.find()) {
      String mark = block.group(1) == null ? "" : block.group(1);
      String text = block.group(3);
      if (!mark.isEmpty() || COMMAND.matcher(text).find()) {
        assertThat(mark).as("%s: the mark of %s", page, text).matches(MARK);
        blocks.add(new Block(page, mark, text));
      }
    }
    return blocks;
  }

  private static String text(String page) {
    try {
      return Files.readString(PROJECT.resolve(page));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
