package io.fdt.cli.monitor;

import io.fdt.cli.output.TerminalText;
import io.fdt.core.unit.NumberText;
import java.util.ArrayList;
import java.util.List;

/** The rate of the last seconds as columns, the latest one at the right. Pure. */
final class RatePlot {
  private static final String BLOCKS = " ▁▂▃▄▅▆▇█";

  /** Characters that are filled by half or more. */
  private static final String SIGNS = "  ..::||#";

  private static final int EIGHTHS = 8;

  /** "9.99 MiB/s". */
  private static final int LABEL = 11;

  private RatePlot() {}

  /**
   * The lines of a plot.
   *
   * @param rates bytes per second, one for each second, the oldest first
   * @param width columns of a line, with its label
   * @param height lines, 1 or more
   * @param unicode whether the terminal has block characters
   */
  static List<String> lines(List<Double> rates, int width, int height, boolean unicode) {
    int seconds = Math.max(0, width - LABEL - 2);
    List<Double> shown = rates.subList(Math.max(0, rates.size() - seconds), rates.size());
    double most = shown.stream().mapToDouble(Double::doubleValue).max().orElse(0);
    List<String> lines = new ArrayList<>();
    for (int row = height - 1; row >= 0; row--) {
      String label = row == height - 1 ? NumberText.rate(most) : row == 0 ? "0" : "";
      StringBuilder line = new StringBuilder(TerminalText.right(label, LABEL)).append(" |");
      line.append(" ".repeat(seconds - shown.size()));
      for (double rate : shown) {
        long eighths = most > 0 ? Math.round(rate / most * height * EIGHTHS) : 0;
        int inRow = (int) Math.max(0, Math.min(EIGHTHS, eighths - (long) row * EIGHTHS));
        line.append((unicode ? BLOCKS : SIGNS).charAt(inRow));
      }
      lines.add(line.toString());
    }
    return lines;
  }
}
