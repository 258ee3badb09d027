package io.fdt.compare;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import tools.jackson.databind.json.JsonMapper;

/**
 * Measures whether the cost per byte and per file stays constant ({@code make bench-growth}): with
 * 1, 4 and 16 times the data, 1 to 64 streams, and 1 to 16 clients at once. The start-up cost, that
 * of a transfer of one byte, is subtracted.
 */
final class Growth {
  private static final int DEFAULT_ROUNDS = 3;
  private static final int STREAMS = 4;

  /** A kind of data, and its unit for costs. */
  private enum Kind {
    LARGE("GB of one large file"),
    SMALL("1,000 files of 0 to 16 KiB");

    final String unit;

    Kind(String unit) {
      this.unit = unit;
    }

    Dataset times(int times) {
      return this == LARGE
          ? Dataset.oneFile("growth-large-" + times, (256L << 20) * times)
          : Dataset.small("growth-small-" + times, 50 * times, 100);
    }

    double units(Trees.Size size) {
      return this == LARGE ? size.bytes() / 1e9 : size.files() / 1e3;
    }
  }

  /**
   * The median of some runs.
   *
   * @param units of all clients together, see {@link Kind}
   * @param cost without start-up; {@code peakMegabytes} is that of the larger end
   */
  record Point(String kind, int times, int streams, int clients, double units, Cost cost) {
    double wallPerUnit() {
      return cost.wallSeconds() / units;
    }

    double cpuPerUnit() {
      return cost.cpuSeconds() / units;
    }
  }

  private final Path jar;
  private final Path directory;
  private final int rounds;
  private final List<Point> points = new ArrayList<>();

  private Growth(Path jar, Path directory, int rounds) {
    this.jar = jar;
    this.directory = directory;
    this.rounds = rounds;
  }

  /** Arguments: the jar, a directory for data, one for the results, rounds, and kinds of data. */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    if (arguments.length < 3) {
      System.err.println("usage: JAR DIRECTORY RESULTS [ROUNDS [LARGE|SMALL ...]]");
      System.exit(2);
    }
    int rounds = arguments.length < 4 ? DEFAULT_ROUNDS : Integer.parseInt(arguments[3]);
    Growth growth = new Growth(Path.of(arguments[0]), Path.of(arguments[1]), Math.max(1, rounds));
    List<Kind> kinds = new ArrayList<>();
    for (int i = 4; i < arguments.length; i++) {
      kinds.add(Kind.valueOf(arguments[i]));
    }
    for (Kind kind : kinds.isEmpty() ? List.of(Kind.values()) : kinds) {
      growth.measure(kind);
    }
    growth.report(Files.createDirectories(Path.of(arguments[2])));
  }

  private void measure(Kind kind) throws IOException, InterruptedException {
    for (int times : new int[] {1, 4, 16}) {
      add(kind, times, STREAMS, 1);
    }
    for (int streams : new int[] {1, 16, 64}) {
      add(kind, 4, streams, 1);
    }
    for (int clients : new int[] {4, 16}) {
      add(kind, 1, STREAMS, clients);
    }
  }

  private void add(Kind kind, int times, int streams, int clients)
      throws IOException, InterruptedException {
    Path top = Files.createDirectories(directory);
    Path source = kind.times(times).in(top.resolve("source"));
    Path nothing = Dataset.oneFile("growth-nothing", 1).in(top.resolve("source"));
    Trees.Size size = Trees.size(source);
    Cost[] costs = new Cost[rounds];
    for (int round = 0; round < rounds; round++) {
      Cost start = run(nothing, streams, clients);
      Cost whole = run(source, streams, clients);
      costs[round] =
          new Cost(
              whole.wallSeconds() - start.wallSeconds(),
              whole.cpuSeconds() - start.cpuSeconds(),
              whole.peakMegabytes());
    }
    Arrays.sort(costs, (a, b) -> Double.compare(a.cpuSeconds(), b.cpuSeconds()));
    Point point =
        new Point(
            kind.unit, times, streams, clients, kind.units(size) * clients, costs[rounds / 2]);
    points.add(point);
    System.err.println(row(point));
    if (times > 4 || clients == 16) {
      Trees.delete(source);
    }
  }

  /** Starts all clients together on the same data; the time is that of the last one. */
  private Cost run(Path source, int streams, int clients) throws IOException, InterruptedException {
    Path work = directory.resolve("work");
    Trees.delete(work);
    Files.createDirectories(work);
    List<MeasuredProcess> running = new ArrayList<>();
    try (OwnServer server = new OwnServer(jar, work, List.of("x=" + source))) {
      Machine.touchMemory(work, Trees.size(source).times(clients), Machine.PROCESSES);
      for (int i = 0; i < clients; i++) {
        running.add(
            server.client(
                "-P",
                Integer.toString(streams),
                "-r",
                "-pull",
                "-d",
                work.resolve("copy" + i).toString(),
                "/x/"));
      }
      Cost all = new Cost(0, 0, 0);
      for (MeasuredProcess client : running) {
        Cost one = client.end();
        all =
            new Cost(Math.max(all.wallSeconds(), one.wallSeconds()), all.cpuSeconds(), 0)
                .with(
                    new Cost(
                        0, one.cpuSeconds(), Math.max(all.peakMegabytes(), one.peakMegabytes())));
      }
      all = all.with(server.stop());
      for (int i = 0; i < clients; i++) {
        List<String> differences = Trees.differences(source, work.resolve("copy" + i));
        if (!differences.isEmpty()) {
          throw new IOException("wrong result: " + differences);
        }
      }
      return all;
    } finally {
      running.forEach(MeasuredProcess::close);
      Trees.delete(work);
    }
  }

  private void report(Path results) throws IOException {
    new JsonMapper()
        .writerWithDefaultPrettyPrinter()
        .writeValue(results.resolve("growth.json").toFile(), points);
    StringBuilder table =
        new StringBuilder(
            """
            | data | times | streams | clients | wall s per unit | CPU s per unit | peak MB |
            |---|---|---|---|---|---|---|
            """);
    points.forEach(point -> table.append(row(point)).append('\n'));
    Files.writeString(results.resolve("growth.md"), table);
    System.out.println(table);
    plot(results.resolve("growth.png"));
  }

  private static String row(Point point) {
    return String.format(
        Locale.ROOT,
        "| %s | %d | %d | %d | %.3f | %.3f | %.0f |",
        point.kind(),
        point.times(),
        point.streams(),
        point.clients(),
        point.wallPerUnit(),
        point.cpuPerUnit(),
        point.cost().peakMegabytes());
  }

  /** Plots CPU time per unit against data size, streams and clients. */
  private void plot(Path file) throws IOException {
    XYChart chart =
        new XYChartBuilder()
            .width(900)
            .height(500)
            .title("CPU seconds of both ends for a unit, beyond starting")
            .xAxisTitle("times as large; streams; clients")
            .yAxisTitle("s")
            .build();
    chart.getStyler().setXAxisLogarithmic(true).setYAxisMin(0.0);
    for (Kind kind : Kind.values()) {
      List<Point> own = points.stream().filter(p -> p.kind().equals(kind.unit)).toList();
      if (own.isEmpty()) {
        continue;
      }
      series(
          chart,
          kind.unit + ", by size",
          own,
          p -> p.streams() == STREAMS && p.clients() == 1,
          Point::times);
      series(chart, kind.unit + ", by streams", own, p -> p.times() == 4, Point::streams);
      series(chart, kind.unit + ", by clients", own, p -> p.times() == 1, Point::clients);
    }
    BitmapEncoder.saveBitmap(chart, file.toString(), BitmapEncoder.BitmapFormat.PNG);
  }

  private static void series(
      XYChart chart,
      String name,
      List<Point> points,
      java.util.function.Predicate<Point> which,
      java.util.function.ToIntFunction<Point> x) {
    List<Point> sorted =
        points.stream().filter(which).sorted(java.util.Comparator.comparingInt(x)).toList();
    chart.addSeries(
        name,
        sorted.stream().mapToDouble(x::applyAsInt).toArray(),
        sorted.stream().mapToDouble(Point::cpuPerUnit).toArray());
  }
}
