package io.fdt.cli.output;

import io.fdt.core.model.LineText;
import java.util.ArrayList;
import java.util.List;

/**
 * A table for people: a heading for each column, and columns as wide as their widest cell. An empty
 * cell is shown as "-". Not thread-safe.
 */
public final class Table {
  private static final int GAP = 2;

  private final List<String> headings = new ArrayList<>();
  private final List<Boolean> areRight = new ArrayList<>();
  private final List<Integer> widths = new ArrayList<>();
  private final List<List<String>> rows = new ArrayList<>();
  private String none = "";
  private boolean hasHeadings;

  /** Adds columns whose cells begin at the same place. */
  public Table left(String... more) {
    return columns(false, more);
  }

  /** Adds columns whose cells end at the same place, as numbers do. */
  public Table right(String... more) {
    return columns(true, more);
  }

  /** Makes the last column no narrower than this: for rows that are taken piece by piece. */
  public Table wide(int least) {
    widths.set(widths.size() - 1, least);
    return this;
  }

  /** Sets the note that stands in place of a table without rows. */
  public Table none(String note) {
    none = note;
    return this;
  }

  private Table columns(boolean isRight, String... more) {
    for (String heading : more) {
      headings.add(heading);
      areRight.add(isRight);
      widths.add(0);
    }
    return this;
  }

  /** Adds a row with a cell for each column. */
  public Table add(String... cells) {
    return add(List.of(cells));
  }

  /** Adds a row with a cell for each column. */
  public Table add(List<String> cells) {
    if (cells.size() != headings.size()) {
      throw new IllegalArgumentException(cells.size() + " cells for " + headings);
    }
    rows.add(cells.stream().map(cell -> cell.isEmpty() ? "-" : LineText.clean(cell)).toList());
    return this;
  }

  /** Shows the rows, as {@link #lines}; if there were none so far, the note. */
  public void show(Screen screen) {
    lines(Integer.MAX_VALUE).forEach(screen::line);
    if (!hasHeadings && !none.isEmpty()) {
      screen.note(none);
    }
  }

  /**
   * Takes the rows out, as lines of at most {@code width} columns; the last columns that do not fit
   * are left out. The headings come before the first row. A long table can be taken piece by piece:
   * its columns only become wider.
   */
  public List<String> lines(int width) {
    List<List<String>> taken = new ArrayList<>(rows);
    rows.clear();
    if (!taken.isEmpty() && !hasHeadings) {
      taken.add(0, headings);
      hasHeadings = true;
    }
    for (List<String> row : taken) {
      for (int i = 0; i < widths.size(); i++) {
        widths.set(i, Math.max(widths.get(i), TerminalText.width(row.get(i))));
      }
    }
    return taken.stream().map(row -> line(row, width)).toList();
  }

  private String line(List<String> row, int width) {
    StringBuilder line = new StringBuilder();
    int room = width;
    for (int i = 0; i < row.size(); i++) {
      int cell = i == 0 ? Math.min(widths.get(i), width) : widths.get(i);
      room -= i == 0 ? cell : GAP + cell;
      if (room < 0) {
        break;
      }
      line.append(i == 0 ? "" : " ".repeat(GAP));
      line.append(
          areRight.get(i)
              ? TerminalText.right(row.get(i), cell)
              : TerminalText.left(row.get(i), cell));
    }
    return line.toString().stripTrailing();
  }
}
