package io.fdt.wan;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;

/** Writes raw results as tables in Markdown, with the goals, and as plots. */
final class WanReport {
  private final List<Run> runs;
  private final StringBuilder text = new StringBuilder();

  private WanReport(List<Run> runs) {
    this.runs = runs;
  }

  /**
   * Writes wan.md and the plots.
   *
   * @return the text
   */
  static String write(RawResults raw, Path directory) throws IOException {
    WanReport report = new WanReport(raw.good());
    report.setting();
    report.first();
    report.file();
    report.small();
    report.grid();
    report.changes();
    report.fair();
    report.traps();
    report.papers();
    report.failed(raw.failed());
    String text = report.text.toString();
    Files.writeString(directory.resolve("wan.md"), text);
    WanPlots.write(report.runs, directory);
    return text;
  }

  /** A run in one line. */
  static String figures(Run run) {
    Run.Transfer transfer = run.transfer();
    return String.format(
        Locale.ROOT,
        "%.2f s, %.1f Mbit/s, %.3f of the limit, steady %s Mbit/s, %.1f s CPU",
        transfer.elapsedSeconds(),
        transfer.megabits(),
        transfer.megabits() / run.cell().link().limitMegabits(),
        shown(transfer.steadyMegabits(), 1),
        transfer.cpuSeconds());
  }

  private void line(String format, Object... values) {
    text.append(String.format(Locale.ROOT, format, values)).append('\n');
  }

  private List<Run> of(String experiment) {
    return runs.stream().filter(run -> run.cell().experiment().equals(experiment)).toList();
  }

  private void setting() {
    Function<Function<Run.Setting, Object>, String> different =
        part -> {
          Set<String> values = new LinkedHashSet<>();
          runs.forEach(run -> values.add(String.valueOf(part.apply(run.setting()))));
          return String.join(" and ", values);
        };
    line(
        "%s; kernel %s; %s; path: %s; %s, MTU %s; %s; revision %s",
        different.apply(Run.Setting::machine),
        different.apply(Run.Setting::kernel),
        different.apply(Run.Setting::java),
        different.apply(Run.Setting::emulator),
        different.apply(Run.Setting::congestionControl),
        different.apply(Run.Setting::mtu),
        different.apply(setting -> setting.date().substring(0, 10)),
        different.apply(Run.Setting::revision));
  }

  private void first() {
    Map<String, List<Run>> byStreams = groups(of("first"), run -> run.cell().streams());
    if (byStreams.isEmpty()) {
      return;
    }
    line("%nTime to full speed: one file of 1 MiB, median s and round trips of the path%n");
    line(
        "| P | whole command near, s | far, s | round trips | by the client's report far, s | round"
            + " trips |");
    line("|---|--:|--:|--:|--:|--:|");
    byStreams.forEach(
        (streams, all) -> {
          List<Run> near = where(all, run -> isNear(run));
          List<Run> far = where(all, run -> !isNear(run));
          if (!near.isEmpty() && !far.isEmpty()) {
            double trip = (far.get(0).cell().link().rttMillis() - Experiments.NEAR_MILLIS) / 1000;
            double nearWall = median(near, run -> run.transfer().wallSeconds());
            double farWall = median(far, run -> run.transfer().wallSeconds());
            double nearReport = median(near, run -> run.transfer().elapsedSeconds());
            double farReport = median(far, run -> run.transfer().elapsedSeconds());
            line(
                "| %s | %.2f | %.2f | %.2f | %.2f | %.2f |",
                streams,
                nearWall,
                farWall,
                (farWall - nearWall) / trip,
                farReport,
                (farReport - nearReport) / trip);
          }
        });
    line(
        "%nRound trips: far less near, so without start-up. The report begins with the first"
            + " connection. Goal: at most 6.");
  }

  private static boolean isNear(Run run) {
    return run.cell().link().rttMillis() == Experiments.NEAR_MILLIS;
  }

  private void file() {
    groups(of("file"), run -> List.of(run.cell().link(), run.cell().bytes()))
        .forEach(
            (key, all) -> {
              Run one = all.get(0);
              double best = best(all, run -> run.transfer().megabits());
              line("%nOne file of %,d bytes; %s%n", one.cell().bytes(), one.cell().link().words());
              line(
                  "| P | s | Mbit/s | / limit | / best fixed | steady Mbit/s | / limit | CPU s |"
                      + " limits, seconds | streams first, most, last |");
              line("|---|--:|--:|--:|--:|--:|--:|--:|---|---|");
              for (Run run : all) {
                Run.Transfer transfer = run.transfer();
                double limit = run.cell().link().limitMegabits();
                line(
                    "| %s | %.1f | %.0f | %.3f | %s | %s | %s | %.1f | %s | %s |",
                    run.cell().streams(),
                    transfer.elapsedSeconds(),
                    transfer.megabits(),
                    transfer.megabits() / limit,
                    shown(transfer.megabits() / best, 3),
                    shown(transfer.steadyMegabits(), 0),
                    shown(transfer.steadyMegabits() / limit, 3),
                    transfer.cpuSeconds(),
                    causes(transfer.limits()),
                    streams(transfer.limits()));
              }
              line(
                  "%nGoal for auto: 0.95 of the limit whole, 0.97 steady (second half of the"
                      + " time).");
            });
  }

  private void small() {
    List<Run> all = of("small");
    if (all.isEmpty()) {
      return;
    }
    line("%nSmall files of 0 to 16 KiB over a round trip of 150 ms%n");
    line("| files | P | s | files/s | Mbit/s | / limit | files in a round trip |");
    line("|--:|---|--:|--:|--:|--:|--:|");
    for (Run run : all) {
      double seconds = run.transfer().elapsedSeconds();
      line(
          "| %,d | %s | %.2f | %.0f | %.0f | %.3f | %.0f |",
          run.cell().files(),
          run.cell().streams(),
          seconds,
          run.cell().files() / seconds,
          run.transfer().megabits(),
          run.transfer().megabits() / run.cell().link().limitMegabits(),
          run.cell().files() / seconds * run.cell().link().rttMillis() / 1000);
    }
  }

  private void grid() {
    List<Double> ratios = new ArrayList<>();
    groups(of("grid"), run -> List.of(run.cell().link(), run.cell().seconds()))
        .forEach(
            (key, all) -> {
              if (ratios.isEmpty()) {
                line("%nThe grid: bytes that arrived until the end of the time, start included%n");
                line("| path | s | best fixed P | Mbit/s | auto Mbit/s | / limit | / best fixed |");
                line("|---|--:|--:|--:|--:|--:|--:|");
              }
              List<Run> auto = where(all, WanReport::isAuto);
              List<Run> fixed = where(all, run -> !isAuto(run));
              if (auto.isEmpty() || fixed.isEmpty()) {
                return;
              }
              Run best = fastest(fixed);
              double rate = median(auto, run -> run.transfer().megabits());
              ratios.add(rate / best.transfer().megabits());
              line(
                  "| %s | %d | %s | %.1f | %.1f | %.3f | %.3f |",
                  best.cell().link().words(),
                  best.cell().seconds(),
                  best.cell().streams(),
                  best.transfer().megabits(),
                  rate,
                  rate / best.cell().link().limitMegabits(),
                  rate / best.transfer().megabits());
            });
    if (!ratios.isEmpty()) {
      double[] sorted = ratios.stream().mapToDouble(r -> r).sorted().toArray();
      line(
          "%nAuto against the best fixed P of %d paths: median %.3f (goal 0.95), worst %.3f (goal"
              + " 0.85).",
          sorted.length, median(sorted), sorted[0]);
    }
  }

  private void changes() {
    List<Run> all = of("changes");
    if (all.isEmpty()) {
      return;
    }
    line("%nChanges in the second third of the time: Mbit/s in the second half of each third%n");
    line("| what | path | P | before | meanwhile | after | competitor's share meanwhile |");
    line("|---|---|---|--:|--:|--:|--:|");
    for (Run run : all) {
      double sixth = run.cell().seconds() / 6.0;
      Run.Transfer transfer = run.transfer();
      double meanwhile = transfer.megabits(3 * sixth, 4 * sixth);
      String share = "";
      if (run.transfers().size() > 1) {
        double other = run.transfers().get(1).steadyMegabits();
        share = shown(other / (other + meanwhile), 2);
      }
      line(
          "| %s | %s | %s | %s | %s | %s | %s |",
          run.cell().variant(),
          run.cell().link().words(),
          run.cell().streams(),
          shown(transfer.megabits(sixth, 2 * sixth), 0),
          shown(meanwhile, 0),
          shown(transfer.megabits(5 * sixth, 6 * sixth), 0),
          share);
    }
  }

  private void fair() {
    for (Run run : of("fair")) {
      double[] rates = run.transfers().stream().mapToDouble(Run.Transfer::steadyMegabits).toArray();
      line(
          "%nTwo transfers side by side, P %s, %s: %s Mbit/s in the second half of the time, Jain's"
              + " index %.3f (goal 0.95).",
          run.cell().streams(),
          run.cell().link().words(),
          String.join(" and ", Arrays.stream(rates).mapToObj(rate -> shown(rate, 0)).toList()),
          jain(rates));
    }
  }

  /**
   * Jain's fairness index: 1 when all rates are equal, 1/n when one transfer has the whole rate.
   */
  static double jain(double... rates) {
    double sum = Arrays.stream(rates).sum();
    double squares = Arrays.stream(rates).map(rate -> rate * rate).sum();
    return sum * sum / (rates.length * squares);
  }

  private void traps() {
    List<Run> all = of("traps");
    if (all.isEmpty()) {
      return;
    }
    line("%nTraps: what limits is not the path%n");
    line("| what | Mbit/s | limits, seconds of each | streams first, most, last | changes |");
    line("|---|--:|---|---|---|");
    for (Run run : all) {
      List<Run.Limits> limits = run.transfer().limits();
      line(
          "| %s | %.0f | %s | %s | %s |",
          run.cell().variant(),
          run.transfer().megabits(),
          causes(limits),
          streams(limits),
          String.join(
              "<br>", limits.stream().map(Run.Limits::change).filter(c -> !c.isEmpty()).toList()));
    }
  }

  /** The bottlenecks, with their numbers of seconds, the most frequent first. */
  private static String causes(List<Run.Limits> limits) {
    Map<String, Integer> seconds = new LinkedHashMap<>();
    limits.forEach(l -> seconds.merge(l.limitedBy(), 1, Integer::sum));
    return String.join(
        ", ",
        seconds.entrySet().stream()
            .sorted(Map.Entry.<String, Integer>comparingByValue().reversed())
            .map(entry -> entry.getKey() + " " + entry.getValue())
            .toList());
  }

  private static String streams(List<Run.Limits> limits) {
    return limits.isEmpty()
        ? "-"
        : "%d, %d, %d"
            .formatted(
                limits.get(0).streams(),
                limits.stream().mapToInt(Run.Limits::streams).max().getAsInt(),
                limits.get(limits.size() - 1).streams());
  }

  private void papers() {
    List<Run> udt = where(of("papers"), run -> run.cell().variant().equals(Experiments.UDT));
    if (!udt.isEmpty()) {
      line("%nThe UDT paper's table 4 (disk to memory there, memory to memory here), Mbit/s%n");
      line(
          "| RTT ms | paper's channels | paper | loss %% | P 1 | P as the paper | auto | auto /"
              + " limit |");
      line("|--:|--:|--:|--:|--:|--:|--:|--:|");
      for (double loss :
          udt.stream()
              .mapToDouble(r -> r.cell().link().lossPercent())
              .distinct()
              .sorted()
              .toArray()) {
        for (double[] row : Experiments.UDT_PAPER) {
          List<Run> same =
              where(
                  udt,
                  run ->
                      run.cell().link().rttMillis() == row[0]
                          && run.cell().link().lossPercent() == loss);
          String channels = Integer.toString((int) row[1]);
          double auto = rate(same, Cell.AUTO);
          if (!same.isEmpty()) {
            line(
                "| %s | %s | %s | %s | %s | %s | %s | %s |",
                Link.number(row[0]),
                channels,
                loss == 0 ? Link.number(row[2]) : "",
                Link.number(loss),
                shown(rate(same, "1"), 1),
                shown(rate(same, channels), 1),
                shown(auto, 1),
                shown(auto / same.get(0).cell().link().limitMegabits(), 3));
          }
        }
      }
    }
    List<Run> relay = where(of("papers"), run -> run.cell().variant().equals(Experiments.RELAY));
    if (!relay.isEmpty()) {
      line(
          "%nThe relay paper's first leg, %s: %s Mbit/s with P 1, %s with auto; the paper %.1f.",
          relay.get(0).cell().link().words(),
          shown(rate(relay, "1"), 1),
          shown(rate(relay, Cell.AUTO), 1),
          Experiments.RELAY_PAPER_MEGABITS);
    }
  }

  /** A figure; empty for NaN. */
  private static String shown(double figure, int decimals) {
    return Double.isNaN(figure) ? "-" : String.format(Locale.ROOT, "%." + decimals + "f", figure);
  }

  private void failed(List<Run> failed) {
    failed.forEach(
        run ->
            line(
                "%nWithout a figure: %s: %s",
                run.cell().words(), run.problem().lines().findFirst().orElse("")));
  }

  private static boolean isAuto(Run run) {
    return run.cell().streams().equals(Cell.AUTO);
  }

  private static double rate(List<Run> runs, String streams) {
    return median(
        where(runs, run -> run.cell().streams().equals(streams)), run -> run.transfer().megabits());
  }

  private static double best(List<Run> runs, ToDoubleFunction<Run> figure) {
    return where(runs, run -> !isAuto(run)).stream().mapToDouble(figure).max().orElse(Double.NaN);
  }

  private static Run fastest(List<Run> runs) {
    return runs.stream()
        .max(java.util.Comparator.comparingDouble(run -> run.transfer().megabits()))
        .orElseThrow();
  }

  private static List<Run> where(List<Run> runs, Predicate<Run> which) {
    return runs.stream().filter(which).toList();
  }

  private static <K> Map<K, List<Run>> groups(List<Run> runs, Function<Run, K> key) {
    Map<K, List<Run>> groups = new LinkedHashMap<>();
    runs.forEach(run -> groups.computeIfAbsent(key.apply(run), k -> new ArrayList<>()).add(run));
    return groups;
  }

  private static double median(List<Run> runs, ToDoubleFunction<Run> figure) {
    return median(runs.stream().mapToDouble(figure).sorted().toArray());
  }

  private static double median(double[] sorted) {
    int n = sorted.length;
    return n == 0 ? Double.NaN : (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
  }
}
