package io.fdt.wan;

import java.util.ArrayList;
import java.util.List;

/** The experiments, by name. */
final class Experiments {
  static final String RATE = "rate";
  static final String COMPETITOR = "competitor";
  static final String FAIR = "two";
  static final String SLOW_SOURCE = "slow-source";
  static final String SLOW_DESTINATION = "slow-destination";
  static final String ONE_CPU = "one-cpu";

  static final List<String> ALL =
      List.of("first", "file", "small", "grid", "changes", "fair", "traps", "papers");

  /** A round trip that is negligible compared with 150 ms: shows the cost without a path. */
  static final double NEAR_MILLIS = 1;

  /** RTT in ms, best number of channels, Mbit/s from disk to memory: the UDT paper's table 4. */
  static final double[][] UDT_PAPER = {
    {1.65, 5, 828},
    {50, 10, 798},
    {100, 12, 744},
    {150, 16, 717},
    {200, 14, 691},
    {250, 13, 659},
    {300, 15, 643},
    {350, 18, 624},
    {400, 18, 567}
  };

  /** The relay paper's first leg: 1,144.37 s for 1.35 GB over 10 Mbit/s, 10 ms, 0.05 % loss. */
  static final double RELAY_PAPER_MEGABITS = 1.35e9 * 8 / 1e6 / 1144.37;

  static final String UDT = "udt";
  static final String RELAY = "relay";

  /** The rate of a slow disk: 64 MB/s. */
  private static final double SLOW_DISK_MEGABITS = 512;

  private static final double[] LOSSES = {0, 0.001, 0.01};

  private Experiments() {}

  /**
   * The ranges of an experiment; a null list stands for its own values.
   *
   * @param streams numbers of streams
   * @param bytes of the large file
   * @param files number of small files
   * @param seconds of a transfer that is stopped
   * @param rounds of short transfers
   */
  record Scope(
      List<String> streams,
      long bytes,
      int files,
      int seconds,
      int rounds,
      List<Double> rates,
      List<Double> rtts,
      List<Double> losses,
      List<Long> buffers) {
    private boolean takes(Link link) {
      return takes(rates, link.megabitsPerSecond())
          && takes(rtts, link.rttMillis())
          && takes(losses, link.lossPercent())
          && takes(buffers, link.bufferBytes());
    }

    private static <T> boolean takes(List<T> wanted, T value) {
      return wanted == null || wanted.contains(value);
    }
  }

  /** The cells of an experiment; those that the report compares are adjacent. */
  static List<Cell> cells(String experiment, Scope scope) {
    List<Cell> cells =
        switch (experiment) {
          case "first" -> first(scope);
          case "file" -> file(scope);
          case "small" -> small(scope);
          case "grid" -> grid(scope);
          case "changes" -> changes(scope);
          case "fair" -> timed(experiment, FAIR, scope, link(100, 30, 0), List.of(Cell.AUTO), 2);
          case "traps" -> traps(scope);
          case "papers" -> papers(scope);
          default ->
              throw new IllegalArgumentException(
                  "no experiment " + experiment + ": there are " + String.join(", ", ALL));
        };
    return cells.stream().filter(cell -> scope.takes(cell.link())).toList();
  }

  private static Link link(double megabits, double rtt, double loss) {
    return new Link(megabits, rtt, loss, Link.TUNED_BUFFERS, 0);
  }

  private static Link stock(Link link) {
    return new Link(
        link.megabitsPerSecond(),
        link.rttMillis(),
        link.lossPercent(),
        Link.STOCK_BUFFERS,
        link.queueBytes());
  }

  private static List<Cell> first(Scope scope) {
    List<Cell> cells = new ArrayList<>();
    for (String streams : scope.streams()) {
      for (int round = 1; round <= scope.rounds(); round++) {
        for (double rtt : new double[] {NEAR_MILLIS, 150}) {
          cells.add(Cell.file("first", stock(link(1000, rtt, 0)), streams, round, 1 << 20));
        }
      }
    }
    return cells;
  }

  private static List<Cell> file(Scope scope) {
    List<Cell> cells = new ArrayList<>();
    Link tuned = link(1000, 150, 0);
    for (Link link : List.of(stock(tuned), tuned)) {
      for (String streams : scope.streams()) {
        cells.add(Cell.file("file", link, streams, 1, scope.bytes()));
      }
    }
    return cells;
  }

  private static List<Cell> small(Scope scope) {
    List<Cell> cells = new ArrayList<>();
    for (String streams : scope.streams()) {
      cells.add(new Cell("small", "", stock(link(1000, 150, 0)), streams, 1, 0, 0, scope.files()));
    }
    return cells;
  }

  private static List<Cell> grid(Scope scope) {
    List<Cell> cells = new ArrayList<>();
    for (double rate : new double[] {100, 1000}) {
      for (double rtt : new double[] {1, 30, 150, 300}) {
        for (double loss : LOSSES) {
          Link tuned = link(rate, rtt, loss);
          for (Link link : List.of(stock(tuned), tuned)) {
            cells.addAll(timed("grid", "", scope, link, scope.streams(), 1));
          }
        }
      }
    }
    return cells;
  }

  private static List<Cell> timed(
      String experiment, String variant, Scope scope, Link link, List<String> streams, int times) {
    return streams.stream()
        .map(
            p ->
                Cell.timed(
                    experiment,
                    variant,
                    link,
                    p,
                    times * scope.seconds(),
                    link.megabitsPerSecond()))
        .toList();
  }

  private static List<Cell> changes(Scope scope) {
    List<Cell> cells = new ArrayList<>();
    for (String variant : List.of(RATE, COMPETITOR)) {
      cells.addAll(
          timed("changes", variant, scope, stock(link(1000, 150, 0)), List.of(Cell.AUTO), 3));
    }
    return cells;
  }

  private static List<Cell> traps(Scope scope) {
    List<Cell> cells = new ArrayList<>();
    Link link = link(1000, 30, 0);
    for (String variant : List.of(SLOW_SOURCE, SLOW_DESTINATION)) {
      cells.add(Cell.timed("traps", variant, link, Cell.AUTO, scope.seconds(), SLOW_DISK_MEGABITS));
    }
    cells.addAll(timed("traps", ONE_CPU, scope, link, List.of(Cell.AUTO), 1));
    return cells;
  }

  private static List<Cell> papers(Scope scope) {
    List<Cell> cells = new ArrayList<>();
    for (double loss : new double[] {0, 0.001, 0.005}) {
      for (double[] row : UDT_PAPER) {
        String best = Integer.toString((int) row[1]);
        cells.addAll(
            timed(
                "papers", UDT, scope, link(1000, row[0], loss), List.of("1", best, Cell.AUTO), 1));
      }
    }
    cells.addAll(timed("papers", RELAY, scope, link(10, 10, 0.05), List.of("1", Cell.AUTO), 1));
    return cells;
  }
}
