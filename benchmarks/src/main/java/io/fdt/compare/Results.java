package io.fdt.compare;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * All runs of a comparison; the content of the JSON file.
 *
 * @param date of its start, ISO 8601
 * @param machine processors, memory
 * @param kernel its release
 * @param java version of the tools that need one
 * @param fileSystem of the destination
 * @param command that ran the comparison
 * @param runs in the order of execution
 */
record Results(
    String date,
    String machine,
    String kernel,
    String java,
    String fileSystem,
    String command,
    List<Run> runs) {
  /** The tool that all others are compared with. */
  static final String BASELINE = "cp";

  /**
   * One run.
   *
   * @param dataset its name
   * @param bytes and {@code files} of the dataset
   * @param tool its name
   * @param round from 1; runs of one round follow each other
   * @param cost null when the tool failed, or the copy differs from the source
   * @param problem the failure; otherwise null
   */
  record Run(
      String dataset, long bytes, long files, String tool, int round, Cost cost, String problem) {}

  /**
   * One tool on one dataset, over its rounds.
   *
   * @param cost the median of each figure
   * @param wallRatio median of the ratios, round by round, of its wall time to that of {@link
   *     #BASELINE}; NaN without a baseline
   * @param runs that succeeded
   * @param problem of the last run that failed, else null
   */
  record Median(
      String dataset,
      long bytes,
      long files,
      String tool,
      Cost cost,
      double wallRatio,
      double cpuRatio,
      int runs,
      String problem) {}

  /** Medians by dataset and tool, in the order of the runs. */
  List<Median> medians() {
    Map<List<String>, List<Run>> groups = new LinkedHashMap<>();
    for (Run run : runs) {
      groups.computeIfAbsent(List.of(run.dataset(), run.tool()), key -> new ArrayList<>()).add(run);
    }
    return groups.values().stream().map(this::median).toList();
  }

  private Median median(List<Run> group) {
    List<Run> good = group.stream().filter(run -> run.cost() != null).toList();
    Run first = group.get(0);
    Cost cost =
        good.isEmpty()
            ? null
            : new Cost(
                median(good, run -> run.cost().wallSeconds()),
                median(good, run -> run.cost().cpuSeconds()),
                median(good, run -> run.cost().peakMegabytes()));
    String problem =
        group.stream().map(Run::problem).filter(p -> p != null).reduce((a, b) -> b).orElse(null);
    return new Median(
        first.dataset(),
        first.bytes(),
        first.files(),
        first.tool(),
        cost,
        median(good, run -> ratio(run, Cost::wallSeconds)),
        median(good, run -> ratio(run, Cost::cpuSeconds)),
        good.size(),
        problem);
  }

  private double ratio(Run run, ToDoubleFunction<Cost> figure) {
    return runs.stream()
        .filter(r -> r.tool().equals(BASELINE) && r.cost() != null)
        .filter(r -> r.dataset().equals(run.dataset()) && r.round() == run.round())
        .mapToDouble(r -> figure.applyAsDouble(run.cost()) / figure.applyAsDouble(r.cost()))
        .findFirst()
        .orElse(Double.NaN);
  }

  private static double median(List<Run> runs, ToDoubleFunction<Run> figure) {
    List<Double> sorted =
        runs.stream()
            .map(figure::applyAsDouble)
            .filter(value -> !value.isNaN())
            .sorted(Comparator.naturalOrder())
            .toList();
    int n = sorted.size();
    return n == 0 ? Double.NaN : (sorted.get((n - 1) / 2) + sorted.get(n / 2)) / 2;
  }
}
