package io.fdt.cli.monitor;

import io.fdt.cli.output.TerminalText;
import java.util.ArrayList;
import java.util.List;

/**
 * A table with one column at the left and the others at the right. The last columns are left out if
 * they do not fit. Pure.
 */
final class PageTable {
  private static final int GAP = 2;

  private final List<List<String>> rows = new ArrayList<>();

  PageTable(String... headings) {
    rows.add(List.of(headings));
  }

  /** Adds a row with a cell for each heading. */
  void add(String... cells) {
    if (cells.length != rows.get(0).size()) {
      throw new IllegalArgumentException(cells.length + " cells for " + rows.get(0));
    }
    rows.add(List.of(cells));
  }

  /** The headings and the rows, each of at most {@code width} columns. */
  List<String> lines(int width) {
    List<Integer> widths = new ArrayList<>();
    int left = width;
    for (int column = 0; column < rows.get(0).size(); column++) {
      int wide = width(column);
      int needs = column == 0 ? wide : wide + GAP;
      if (needs > left && column > 0) {
        break;
      }
      widths.add(Math.min(wide, width));
      left -= needs;
    }
    return rows.stream().map(row -> line(row, widths)).toList();
  }

  private int width(int column) {
    return rows.stream().mapToInt(row -> TerminalText.width(row.get(column))).max().orElse(0);
  }

  private static String line(List<String> row, List<Integer> widths) {
    StringBuilder line = new StringBuilder(TerminalText.left(row.get(0), widths.get(0)));
    for (int column = 1; column < widths.size(); column++) {
      line.append(" ".repeat(GAP)).append(TerminalText.right(row.get(column), widths.get(column)));
    }
    return line.toString();
  }
}
