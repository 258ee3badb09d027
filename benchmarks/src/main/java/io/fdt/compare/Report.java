package io.fdt.compare;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Writes results as a table in Markdown, a plot, and JSON. */
final class Report {
  private static final JsonMapper JSON =
      JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

  /** A ratio to the baseline may grow by this much before it counts as worse. */
  private static final double TOLERANCE = 1.15;

  private Report() {}

  static void writeJson(Results results, Path file) {
    JSON.writeValue(file, results);
  }

  static Results readJson(Path file) {
    return JSON.readValue(file, Results.class);
  }

  static String table(Results results) {
    StringBuilder text = new StringBuilder();
    text.append(
        "%s; kernel %s; %s; destination on %s; %s%n%n`%s`%n"
            .formatted(
                results.machine(),
                results.kernel(),
                results.java(),
                results.fileSystem(),
                results.date(),
                results.command()));
    text.append(
        "%n| data | tool | wall s | CPU s | peak RSS MB | wall / cp | CPU / cp | runs |%n|---|---|--:|--:|--:|--:|--:|--:|%n"
            .formatted());
    String dataset = "";
    for (Results.Median median : results.medians()) {
      boolean isFirst = !median.dataset().equals(dataset);
      dataset = median.dataset();
      text.append(row(isFirst ? Dataset.what(dataset) : "", median));
    }
    return text.toString();
  }

  private static String row(String data, Results.Median median) {
    Cost cost = median.cost();
    if (cost == null) {
      return "| %s | %s | failed: %s | | | | | 0 |%n"
          .formatted(data, median.tool(), firstLine(median));
    }
    String note = median.problem() == null ? "" : " (others failed: " + firstLine(median) + ")";
    return String.format(
        Locale.ROOT,
        "| %s | %s | %.2f | %.2f | %.0f | %.2f | %.2f | %d%s |%n",
        data,
        median.tool(),
        cost.wallSeconds(),
        cost.cpuSeconds(),
        cost.peakMegabytes(),
        median.wallRatio(),
        median.cpuRatio(),
        median.runs(),
        note);
  }

  private static String firstLine(Results.Median median) {
    String line = median.problem().lines().findFirst().orElse("");
    return line.substring(0, Math.min(100, line.length())).replace('|', '/');
  }

  /** Bars of wall time as a multiple of the baseline's: a group per dataset, a bar per tool. */
  static void plot(Results results, Path file) throws IOException {
    List<Results.Median> medians =
        results.medians().stream()
            .filter(m -> m.cost() != null && !Double.isNaN(m.wallRatio()))
            .toList();
    List<String> datasets = medians.stream().map(Results.Median::dataset).distinct().toList();
    CategoryChart chart =
        new CategoryChartBuilder()
            .width(1000)
            .height(500)
            .title("Wall time of the whole command, as a multiple of cp's: less is better")
            .yAxisTitle("times cp")
            .build();
    for (String tool : medians.stream().map(Results.Median::tool).distinct().toList()) {
      List<Double> ratios = new ArrayList<>();
      for (String dataset : datasets) {
        ratios.add(
            medians.stream()
                .filter(m -> m.tool().equals(tool) && m.dataset().equals(dataset))
                .map(Results.Median::wallRatio)
                .findFirst()
                .orElse(0.0));
      }
      chart.addSeries(tool, datasets, ratios);
    }
    BitmapEncoder.saveBitmap(chart, file.toString(), BitmapEncoder.BitmapFormat.PNG);
  }

  /**
   * Results that are worse than in an earlier comparison, by ratio to the baseline of the same run.
   */
  static List<String> worse(Results before, Results now) {
    List<String> worse = new ArrayList<>();
    for (Results.Median is : now.medians()) {
      for (Results.Median was : before.medians()) {
        if (Tool.OURS.contains(is.tool())
            && was.tool().equals(is.tool())
            && was.dataset().equals(is.dataset())
            && was.cost() != null) {
          if (is.cost() == null) {
            worse.add(is.dataset() + ", " + is.tool() + ": failed: " + is.problem());
          } else {
            String what = is.dataset() + ", " + is.tool();
            note(worse, what + ": wall time", was.wallRatio(), is.wallRatio());
            note(worse, what + ": CPU time", was.cpuRatio(), is.cpuRatio());
          }
        }
      }
    }
    return worse;
  }

  private static void note(List<String> worse, String what, double was, double is) {
    if (is > was * TOLERANCE) {
      worse.add(
          String.format(
              Locale.ROOT, "%s was %.2f times that of cp, and is %.2f times", what, was, is));
    }
  }
}
