package io.fdt.cli.output.text;

import io.fdt.client.FileProblem;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.model.PathText;
import io.fdt.core.unit.NumberText;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reasons that many failures share: a directory without write permission is reported once, a full
 * disk ten times, and the others are counted. Any thread.
 */
final class SharedReasons {
  /** Memory: one message each. Further reasons are reported for each file. */
  private static final int MOST = 1000;

  /** The number of reported failures by a full disk; there may be millions. */
  private static final int MOST_FULL = 10;

  private static final String FULL = "storage full; make room and run the same command again";

  private final Map<String, Long> others = new LinkedHashMap<>();
  private long full;

  /** Whether the reason was reported. */
  synchronized boolean isReported(FileProblem problem) {
    if (!problem.skipped() && problem.code() == ErrorCode.STORAGE_FULL && full++ >= MOST_FULL) {
      others.merge(FULL, 1L, Long::sum);
      return true;
    }
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

  /** Whether the reason belongs to a directory; the text of a file's reason contains its path. */
  private static boolean isOfDirectory(FileProblem problem) {
    boolean isOfPlace =
        switch (problem.code()) {
          case PERMISSION, READ_ONLY, NOT_FOUND -> true;
          default -> false;
        };
    return isOfPlace
        && !problem.path().isEmpty()
        && !PathText.isNamed(problem.path(), problem.message());
  }

  /** The counts of further failures, a line for each reason; clears them. */
  synchronized List<String> takeOthers() {
    List<String> lines = new ArrayList<>();
    others.forEach(
        (reason, count) -> {
          if (count > 0) {
            lines.add("%s more for the same reason: %s".formatted(NumberText.count(count), reason));
          }
        });
    others.clear();
    full = 0;
    return lines;
  }
}
