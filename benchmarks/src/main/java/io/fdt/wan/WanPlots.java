package io.fdt.wan;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;

/** Plots raw results: rates over time, and rates by round-trip time. */
final class WanPlots {
  private WanPlots() {}

  /** Writes the plots that have results. */
  static void write(List<Run> runs, Path directory) throws IOException {
    for (long buffers : new long[] {Link.STOCK_BUFFERS, Link.TUNED_BUFFERS}) {
      overTime(
          runs.stream()
              .filter(run -> run.cell().experiment().equals("file"))
              .filter(run -> run.cell().link().bufferBytes() == buffers)
              .toList(),
          directory.resolve("wan-file-" + (buffers >> 20) + "m.png"));
    }
    papers(
        runs.stream()
            .filter(run -> run.cell().experiment().equals("papers"))
            .filter(run -> run.cell().variant().equals(Experiments.UDT))
            .toList(),
        directory.resolve("wan-papers.png"));
  }

  private static void overTime(List<Run> runs, Path file) throws IOException {
    if (runs.isEmpty()) {
      return;
    }
    XYChart chart = chart(runs.get(0).cell().link().words(), "s");
    for (Run run : runs) {
      List<Double> seconds = new ArrayList<>();
      List<Double> megabits = new ArrayList<>();
      Run.Progress before = new Run.Progress(0, 0, 0, 0);
      for (Run.Progress now : run.transfer().progress()) {
        if (now.seconds() - before.seconds() > 0.5) {
          seconds.add(now.seconds());
          megabits.add(
              (now.bytes() - before.bytes()) * 8 / 1e6 / (now.seconds() - before.seconds()));
          before = now;
        }
      }
      // A second transfer of the same kind is an additional line, with its own name.
      String name = "P " + run.cell().streams() + ", " + run.cell().bytes() / 1_000_000 + " MB";
      if (!seconds.isEmpty()) {
        chart.addSeries(name, seconds, megabits);
      }
    }
    BitmapEncoder.saveBitmap(chart, file.toString(), BitmapEncoder.BitmapFormat.PNG);
  }

  private static void papers(List<Run> runs, Path file) throws IOException {
    if (runs.isEmpty()) {
      return;
    }
    XYChart chart = chart("1 Gbit/s by round-trip time", "RTT ms");
    List<Double> lengths = new ArrayList<>();
    List<Double> paper = new ArrayList<>();
    for (double[] row : Experiments.UDT_PAPER) {
      lengths.add(row[0]);
      paper.add(row[2]);
    }
    chart.addSeries("UDT paper, no loss", lengths, paper);
    for (double loss :
        runs.stream().mapToDouble(r -> r.cell().link().lossPercent()).distinct().toArray()) {
      List<Run> auto =
          runs.stream()
              .filter(run -> run.cell().streams().equals(Cell.AUTO))
              .filter(run -> run.cell().link().lossPercent() == loss)
              .sorted(java.util.Comparator.comparingDouble(run -> run.cell().link().rttMillis()))
              .toList();
      if (!auto.isEmpty()) {
        chart.addSeries(
            "auto, " + Link.number(loss) + " % loss",
            auto.stream().map(run -> run.cell().link().rttMillis()).toList(),
            auto.stream().map(run -> run.transfer().megabits()).toList());
      }
    }
    BitmapEncoder.saveBitmap(chart, file.toString(), BitmapEncoder.BitmapFormat.PNG);
  }

  private static XYChart chart(String title, String axis) {
    XYChart chart =
        new XYChartBuilder()
            .width(1000)
            .height(500)
            .title(title)
            .xAxisTitle(axis)
            .yAxisTitle("Mbit/s")
            .build();
    chart.getStyler().setYAxisMin(0.0).setMarkerSize(3);
    return chart;
  }
}
