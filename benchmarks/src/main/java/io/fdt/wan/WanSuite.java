package io.fdt.wan;

import io.fdt.compare.Machine;
import io.fdt.core.unit.ByteSize;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;

/**
 * Transfers over emulated wide-area paths: {@code make bench-wan}.
 *
 * <p>Each run is appended to the raw results when it ends. After an interruption, a second start
 * continues; the report depends only on the raw results.
 */
@Command(
    name = "bench-wan",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Measures transfers over emulated wide-area paths.")
final class WanSuite implements Callable<Integer> {
  /**
   * Up to this rate, several paths can exist at the same time, because they need little CPU time.
   */
  private static final double SLOW_MEGABITS = 100;

  /** Parses sizes to bytes. */
  private static final class Size implements ITypeConverter<Long> {
    @Override
    public Long convert(String text) {
      return ByteSize.parse(text).bytes();
    }
  }

  @Option(names = "--jar", description = "fdt.jar; needed but for --report")
  private Path jar;

  @Option(
      names = "--experiments",
      split = "[ ,]",
      description = "of: first file small grid changes fair traps papers (default: all)")
  private List<String> experiments = Experiments.ALL;

  @Option(
      names = "--streams",
      split = "[ ,]",
      defaultValue = "1,2,4,7,10,16,auto",
      description =
          "values of -P that are compared; \"default\" is none (default: ${DEFAULT-VALUE})")
  private List<String> streams;

  @Option(
      names = "--seconds",
      defaultValue = "30",
      description = "of a transfer that is ended after a time (default: ${DEFAULT-VALUE})")
  private int seconds;

  @Option(
      names = "--bytes",
      defaultValue = "5000000000",
      converter = Size.class,
      description = "of the large file (default: ${DEFAULT-VALUE})")
  private long bytes;

  @Option(
      names = "--files",
      defaultValue = "20000",
      description = "in the tree of small files, in hundreds (default: ${DEFAULT-VALUE})")
  private int files;

  @Option(
      names = "--rounds",
      defaultValue = "5",
      description = "of first (default: ${DEFAULT-VALUE})")
  private int rounds;

  @Option(names = "--rates", split = "[ ,]", description = "only paths of so many Mbit/s")
  private List<Double> rates;

  @Option(names = "--rtts", split = "[ ,]", description = "only paths of these round trips, ms")
  private List<Double> rtts;

  @Option(names = "--losses", split = "[ ,]", description = "only paths that lose so many percent")
  private List<Double> losses;

  @Option(
      names = "--buffers",
      split = "[ ,]",
      converter = Size.class,
      description = "only these socket buffers: 4M, 64M")
  private List<Long> buffers;

  @Option(
      names = "--parallel",
      defaultValue = "1",
      description = "paths of at most 100 Mbit/s at a time (default: ${DEFAULT-VALUE})")
  private int parallel;

  @Option(names = "--minutes", description = "start no run later than this")
  private Double minutes;

  @Option(
      names = "--directory",
      defaultValue = "/dev/shm/fdt-wan",
      description = "for data; removed at the end (default: ${DEFAULT-VALUE})")
  private Path directory;

  @Option(
      names = "--results",
      defaultValue = "benchmarks/target/wan",
      description = "where raw.jsonl, wan.md and the plots are (default: ${DEFAULT-VALUE})")
  private Path results;

  @Option(names = "--revision", defaultValue = "", description = "of the sources, for the report")
  private String revision;

  @Option(names = "--report", description = "only make the report of the raw results")
  private boolean reportOnly;

  @Option(names = "--loopback", description = "no path at all: to see that the suite works")
  private boolean loopback;

  /** Exits with status 1 when a run failed. */
  public static void main(String[] arguments) {
    CommandLine command = new CommandLine(new WanSuite());
    command.setExecutionExceptionHandler(
        (e, line, parsed) -> {
          System.err.println(e instanceof IOException ? e.getMessage() : e.toString());
          return 1;
        });
    System.exit(command.execute(arguments));
  }

  @Override
  public Integer call() throws Exception {
    Files.createDirectories(results);
    RawResults raw = new RawResults(results.resolve("raw.jsonl"));
    if (!reportOnly) {
      if (jar == null) {
        throw new IOException("--jar is missing");
      }
      measure(raw);
    }
    System.out.println(WanReport.write(raw, results));
    raw.failed()
        .forEach(run -> System.err.println("failed: " + run.cell().words() + ": " + run.problem()));
    return raw.failed().isEmpty() ? 0 : 1;
  }

  private void measure(RawResults raw) throws Exception {
    Emulator emulator = loopback ? new LoopbackEmulator() : Emulator.ofEnvironment();
    // After a signal, no process is left; the next start removes the paths.
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () ->
                    ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly)));
    Measurement measurement = new Measurement(emulator, jar, directory, setting(emulator));
    long deadline =
        System.nanoTime()
            + (minutes == null
                ? Long.MAX_VALUE / 2
                : (long) (minutes * TimeUnit.MINUTES.toNanos(1)));
    Experiments.Scope scope =
        new Experiments.Scope(streams, bytes, files, seconds, rounds, rates, rtts, losses, buffers);
    List<Cell> slow = new ArrayList<>();
    List<Cell> fast = new ArrayList<>();
    for (String experiment : experiments) {
      for (Cell cell : Experiments.cells(experiment, scope)) {
        if (!raw.has(cell)) {
          (cell.link().megabitsPerSecond() <= SLOW_MEGABITS ? slow : fast).add(cell);
        }
      }
    }
    System.err.printf("%d runs to make%n", slow.size() + fast.size());
    try {
      all(fast, 1, measurement, raw, deadline);
      all(slow, parallel, measurement, raw, deadline);
    } finally {
      measurement.clean();
    }
  }

  private static void all(
      List<Cell> cells, int atATime, Measurement measurement, RawResults raw, long deadline)
      throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(atATime);
    AtomicInteger next = new AtomicInteger();
    try {
      List<Future<Void>> workers = new ArrayList<>();
      for (int slot = 0; slot < atATime; slot++) {
        int own = slot;
        workers.add(
            pool.submit(
                () -> {
                  for (int i = next.getAndIncrement();
                      i < cells.size() && System.nanoTime() < deadline;
                      i = next.getAndIncrement()) {
                    Run run = measurement.run(cells.get(i), own);
                    raw.add(run);
                    System.err.println(line(run));
                  }
                  return null;
                }));
      }
      for (Future<Void> worker : workers) {
        worker.get();
      }
    } finally {
      pool.shutdownNow();
    }
  }

  private static String line(Run run) {
    return run.cell().words()
        + ": "
        + (run.problem() == null ? WanReport.figures(run) : run.problem());
  }

  private Supplier<Run.Setting> setting(Emulator emulator) throws IOException {
    String machine = Machine.processorsAndMemory();
    return () ->
        new Run.Setting(
            OffsetDateTime.now(ZoneOffset.UTC).truncatedTo(ChronoUnit.SECONDS).toString(),
            machine,
            System.getProperty("os.version"),
            "Java " + Runtime.version(),
            emulator.what(),
            System.getenv().getOrDefault("CC", "cubic"),
            Link.mtu(),
            revision);
  }
}
