package io.fdt.promise;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The records as tables: each one in {@code promises/README.md}, the number by page in {@code
 * docs/TESTING.md}. A table stands between two comments.
 */
final class PromiseTable {
  private static final String BEGIN = "<!-- promises: \"make promises-table\" writes this -->\n";
  private static final String END = "<!-- end of promises -->\n";

  private PromiseTable() {}

  /** Each page and the text of its table. */
  static Map<Path, String> of(Path root, List<Promise> promises) {
    return Map.of(
        root.resolve("promises/README.md"), table(promises),
        root.resolve("docs/TESTING.md"), numbers(promises));
  }

  /** The table that a page has now. */
  static String read(Path page) throws IOException {
    String text = Files.readString(page);
    return text.substring(text.indexOf(BEGIN) + BEGIN.length(), text.indexOf(END));
  }

  /** Replaces the table of each page. */
  static void write(Path root, List<Promise> promises) throws IOException {
    for (Map.Entry<Path, String> page : of(root, promises).entrySet()) {
      String text = Files.readString(page.getKey());
      Files.writeString(
          page.getKey(),
          text.substring(0, text.indexOf(BEGIN) + BEGIN.length())
              + page.getValue()
              + text.substring(text.indexOf(END)));
    }
  }

  private static String numbers(List<Promise> promises) {
    Map<String, Long> pages =
        promises.stream()
            .collect(
                Collectors.groupingBy(Promise::page, LinkedHashMap::new, Collectors.counting()));
    StringBuilder table = new StringBuilder("\n| page | promises |\n|---|--:|\n");
    pages.forEach(
        (page, number) ->
            table
                .append("| [")
                .append(page)
                .append("](../promises/README.md#")
                .append(page.toLowerCase(Locale.ROOT))
                .append(") | ")
                .append(number)
                .append(" |\n"));
    return table.append("| all | ").append(promises.size()).append(" |\n\n").toString();
  }

  private static String table(List<Promise> promises) {
    StringBuilder table = new StringBuilder();
    String page = "";
    for (Promise promise : promises) {
      if (!promise.page().equals(page)) {
        page = promise.page();
        table.append("\n## ").append(page).append("\n\n| promise | code | test |\n|---|---|---|\n");
      }
      String file = promise.code().substring(promise.code().lastIndexOf('/') + 1);
      table
          .append("| ")
          .append(promise.sentence().replace("|", "\\|"))
          .append(" | `")
          .append(file.replace(".java", ""))
          .append("` | `")
          .append(promise.test())
          .append("` |\n");
    }
    return table.append('\n').toString();
  }
}
