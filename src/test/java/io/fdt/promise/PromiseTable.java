package io.fdt.promise;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The table of all records in docs/TESTING.md, between two comments. */
final class PromiseTable {
  private static final String BEGIN = "<!-- promises: \"make promises-table\" writes this -->\n";
  private static final String END = "<!-- end of promises -->\n";

  private PromiseTable() {}

  private static Path page(Path root) {
    return root.resolve("docs/TESTING.md");
  }

  /** What stands there now. */
  static String read(Path root) throws IOException {
    String text = Files.readString(page(root));
    return text.substring(text.indexOf(BEGIN) + BEGIN.length(), text.indexOf(END));
  }

  /** Puts the records in its place. */
  static void write(Path root, List<Promise> promises) throws IOException {
    String text = Files.readString(page(root));
    Files.writeString(
        page(root),
        text.substring(0, text.indexOf(BEGIN) + BEGIN.length())
            + of(promises)
            + text.substring(text.indexOf(END)));
  }

  static String of(List<Promise> promises) {
    StringBuilder table = new StringBuilder();
    String page = "";
    for (Promise promise : promises) {
      if (!promise.page().equals(page)) {
        page = promise.page();
        table.append("\n| ").append(page).append(" | code | test |\n|---|---|---|\n");
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
