package io.fdt.cli.output.text;

import io.fdt.cli.output.TerminalText;
import io.fdt.client.TransferProgress;
import io.fdt.core.model.TransferFigures;
import io.fdt.core.unit.BitRate;
import io.fdt.core.unit.NumberText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The progress of a transfer in one line. Pure.
 *
 * <pre>
 * [=========&gt;     ] 45% 1.21/2.70 GiB 407 MiB/s 0:12 left 123/456 files run42/part-3.h5
 * </pre>
 *
 * While the source is still being walked the totals grow: a "≥" precedes them, and a "≤" the
 * percentage.
 */
public final class ProgressLine {
  /** A shorter stall is not shown. */
  private static final Duration STALL = Duration.ofSeconds(5);

  private static final int LEAST_BAR = 10;
  private static final int MOST_BAR = 40;

  /** Columns of a name; without them it is left out. */
  private static final int LEAST_NAME = 20;

  /** The first parts, after which there may be a name. */
  private static final int WITH_NAME = 6;

  private static final List<List<String>> NONE = List.of();

  /** A longer time is not shown. */
  private static final double MOST_SECONDS_LEFT = 1000.0 * 86400;

  private final TransferProgress progress;
  private final double bytesPerSecondNow;

  private ProgressLine(TransferProgress progress, double bytesPerSecondNow) {
    this.progress = progress;
    this.bytesPerSecondNow = bytesPerSecondNow;
  }

  /** The line for a terminal: at most {@code width} characters, the least important left out. */
  public static String render(TransferProgress progress, double bytesPerSecondNow, int width) {
    ProgressLine line = new ProgressLine(progress, bytesPerSecondNow);
    if (line.isConnecting()) {
      return cut(String.join(" ", line.connecting()), width);
    }
    List<List<String>> all = line.fromFullToShort();
    for (List<String> parts : progress.current().isEmpty() ? NONE : all.subList(0, WITH_NAME)) {
      String text = String.join(" ", parts);
      int room = width - text.length() - 1;
      int bar = Math.max(LEAST_BAR, Math.min(room / 3, MOST_BAR));
      int name = room - bar - 1;
      if (name >= LEAST_NAME) {
        return line.bar(bar) + " " + text + " " + TerminalText.cutStart(progress.current(), name);
      }
    }
    for (List<String> parts : all) {
      String text = String.join(" ", parts);
      int room = width - text.length() - 1;
      if (room >= LEAST_BAR) {
        return line.bar(Math.min(room, MOST_BAR)) + " " + text;
      }
    }
    return cut(line.percent(), width);
  }

  /** The line for a log: everything, without a bar. */
  static String plain(TransferProgress progress, double bytesPerSecondNow) {
    ProgressLine line = new ProgressLine(progress, bytesPerSecondNow);
    String text =
        String.join(", ", line.isConnecting() ? line.connecting() : line.fromFullToShort().get(0));
    return progress.current().isEmpty() ? text : text + ", " + progress.current();
  }

  private boolean isConnecting() {
    return progress.streams() == 0
        && progress.figures().files().total() == 0
        && progress.figures().bytesTotal() == 0;
  }

  private List<String> connecting() {
    return isStalled() ? List.of("connecting", stall()) : List.of("connecting");
  }

  /** The parts of the line, from the full line down to the percentage. */
  private List<List<String>> fromFullToShort() {
    String files = files();
    String streams = NumberText.count(progress.streams(), "stream");
    String shortStreams = "P=" + progress.streams();
    String now = isStalled() ? stall() : NumberText.rate(bytesPerSecondNow);
    String nowAndMean = isStalled() ? now : now + " (mean " + mean(now) + ")";
    String left = isStalled() ? "" : left();
    return List.of(
        parts(percent(), bytes(), nowAndMean, left, files + " files", streams),
        parts(percent(), bytes(), nowAndMean, left, files + " files", shortStreams),
        parts(percent(), bytes(), nowAndMean, left, files, shortStreams),
        parts(percent(), bytes(), now, left, files, shortStreams),
        parts(percent(), bytes(), now, left, files),
        parts(percent(), bytes(), now, left),
        parts(percent(), now, left),
        parts(percent(), now),
        parts(percent()));
  }

  private static List<String> parts(String... parts) {
    List<String> present = new ArrayList<>();
    for (String part : parts) {
      if (!part.isEmpty()) {
        present.add(part);
      }
    }
    return present;
  }

  private String bar(int width) {
    int inside = width - 2;
    int filled = (int) Math.floor(fraction() * inside);
    String head = filled < inside ? ">" : "";
    return "[" + "=".repeat(filled) + head + " ".repeat(inside - filled - head.length()) + "]";
  }

  private double fraction() {
    TransferFigures figures = progress.figures();
    if (figures.bytesOfAll() > 0) {
      return Math.min(1, (double) figures.bytesThere() / figures.bytesOfAll());
    }
    return figures.files().total() == 0
        ? 0
        : Math.min(1, (double) filesInPlace() / figures.files().total());
  }

  private String percent() {
    return (progress.figures().totalsAreFinal() ? "" : "≤")
        + (int) Math.floor(fraction() * 100)
        + "%";
  }

  private String bytes() {
    return NumberText.progress(
        progress.figures().bytesThere(), progress.figures().bytesOfAll(), atLeast());
  }

  private String files() {
    return filesInPlace() + "/" + atLeast() + progress.figures().files().total();
  }

  private long filesInPlace() {
    return progress.figures().files().done() + progress.figures().files().unchanged();
  }

  /** The mean rate; without its unit if {@code now} before it has the same. */
  private String mean(String now) {
    String mean = NumberText.rate(BitRate.mean(progress.figures().bytesDone(), progress.elapsed()));
    String unit = now.substring(now.indexOf(' '));
    return mean.endsWith(unit) ? mean.substring(0, mean.length() - unit.length()) : mean;
  }

  private String left() {
    long bytesLeft = Math.max(0, progress.figures().bytesTotal() - progress.figures().bytesDone());
    double seconds = bytesPerSecondNow > 0 ? bytesLeft / bytesPerSecondNow : Double.MAX_VALUE;
    return seconds > MOST_SECONDS_LEFT
        ? ""
        : atLeast() + NumberText.clock((long) Math.ceil(seconds)) + " left";
  }

  private String atLeast() {
    return progress.figures().totalsAreFinal() ? "" : "≥";
  }

  private boolean isStalled() {
    return progress.stalledFor().compareTo(STALL) > 0;
  }

  private String stall() {
    return "no data for " + progress.stalledFor().toSeconds() + " s";
  }

  private static String cut(String text, int width) {
    return text.length() <= width ? text : text.substring(0, Math.max(0, width));
  }
}
