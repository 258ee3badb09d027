package io.fdt.cli.output;

import io.fdt.client.FileProblem;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reasons that many files fail for, such as a directory that nobody may write to: told with the
 * first of them, and counted for the others. Any thread.
 */
final class SharedReasons {
  /** Memory: one message each. What is beyond is told for each file. */
  private static final int MOST = 1000;

  private final Map<String, Long> others = new LinkedHashMap<>();

  /** Whether the reason was told already. */
  synchronized boolean isTold(FileProblem problem) {
    if (problem.skipped() || !isOfDirectory(problem)) {
      return false;
    }
    Long count = others.get(problem.message());
    if (count != null) {
      others.put(problem.message(), count + 1);
      return true;
    }
    if (others.size() < MOST) {
      others.put(problem.message(), 0L);
    }
    return false;
  }

  /** A reason of the file itself has its path. */
  private static boolean isOfDirectory(FileProblem problem) {
    boolean isOfPlace =
        switch (problem.code()) {
          case PERMISSION, READ_ONLY, NOT_FOUND -> true;
          default -> false;
        };
    return isOfPlace && !problem.path().isEmpty() && !problem.message().contains(problem.path());
  }

  /** How many more failed for each reason, a line each; then nothing is told. */
  synchronized List<String> takeOthers() {
    List<String> lines = new ArrayList<>();
    others.forEach(
        (reason, count) -> {
          if (count > 0) {
            lines.add("%s more for the same reason: %s".formatted(Figures.count(count), reason));
          }
        });
    others.clear();
    return lines;
  }
}
