package io.fdt.compare;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Runs FDT and every installed rival in turn on the same data ({@code make compare}).
 *
 * <p>Each round runs every tool once, so that other load of the machine affects all of them;
 * figures are compared within a round. Every result is checked against its source.
 */
@Command(
    name = "compare",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Times FDT and every installed rival on the same data over loopback.")
final class Compare implements Callable<Integer> {
  /** Where runs write, beneath the directory. */
  private static final String WORK = "work";

  private static final int FEW_FILES = 1000;

  @Option(names = "--jar", required = true, description = "fdt.jar, with fdt.jsa beside it")
  private Path jar;

  @Option(
      names = "--directory",
      defaultValue = "/dev/shm/fdt-compare",
      description = "where data is made and copied to (default: ${DEFAULT-VALUE})")
  private Path directory;

  @Option(
      names = "--datasets",
      split = ",",
      defaultValue = "one-4g,small-20k,small-100k,mixed",
      description = "of: one-4g small-20k small-100k mixed one-64m small-1k")
  private List<String> datasets;

  @Option(names = "--tools", split = ",", description = "only these; cp is always with them")
  private List<String> only = List.of();

  @Option(
      names = "--tree",
      description =
          "an existing tree, as one more dataset, read with a cold page cache: as root"
              + " only. Disks that are mounted in it are read at once by who can")
  private Path tree;

  @Option(names = "--rounds", defaultValue = "5", description = "(default: ${DEFAULT-VALUE})")
  private int rounds;

  @Option(
      names = "--results",
      defaultValue = "benchmarks/target/compare",
      description = "where results.json, results.md and results.png go (default: ${DEFAULT-VALUE})")
  private Path resultsDirectory;

  @Option(
      names = "--against",
      description = "results.json of an earlier run: what became worse, by ratio to cp, is named")
  private Path against;

  private final List<Path> spent = new ArrayList<>();

  /** Exits with status 1 when a result became worse, or a run of FDT failed. */
  public static void main(String[] arguments) {
    System.exit(new CommandLine(new Compare()).execute(arguments));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (tree != null && !Machine.canDropPageCache()) {
      System.err.println("--tree is read with a cold page cache, which only root can have");
      return 2;
    }
    List<Dataset> wanted;
    try {
      wanted = datasets.stream().map(Dataset::named).toList();
    } catch (IllegalArgumentException e) {
      System.err.println(e.getMessage());
      return 2;
    }
    directory = directory.toAbsolutePath(); // each tool runs in one of its own
    List<Tool> tools = tools();
    Results results =
        new Results(
            OffsetDateTime.now(ZoneOffset.UTC).truncatedTo(ChronoUnit.SECONDS).toString(),
            Machine.processorsAndMemory(),
            System.getProperty("os.version"),
            "Java " + Runtime.version(),
            Machine.fileSystem(Files.createDirectories(directory)),
            "make compare DATASETS=%s ROUNDS=%d%s"
                .formatted(String.join(",", datasets), rounds, tree == null ? "" : " TREE=" + tree),
            new ArrayList<>());
    Trees.delete(directory.resolve(WORK));
    for (Dataset dataset : wanted) {
      Path source = dataset.in(Files.createDirectories(directory.resolve("source")));
      Trees.Size size = Trees.size(source);
      compare(dataset.name(), source, false, tools, results);
      remove(source, size);
    }
    if (tree != null) {
      compare(Dataset.TREE, tree.toRealPath(), true, tools, results);
    }
    int status = report(results);
    for (Path old : spent) {
      Trees.delete(old);
    }
    return status;
  }

  /**
   * Removes files that are no longer needed, at once or after all measurements. A file system on a
   * disk may skip recently freed inodes: ext4 without a journal does not reuse one for one to five
   * minutes ({@code recently_deleted} in its {@code ialloc.c}). There {@code cp -r} of 60,000 files
   * took 5.6 s, and 23 s when as many had just been removed.
   */
  private void remove(Path old, Trees.Size size) throws IOException {
    if (size.files() <= FEW_FILES || Machine.fileSystem(directory).equals("tmpfs")) {
      Trees.delete(old);
    } else {
      spent.add(old);
    }
  }

  private void compare(String dataset, Path source, boolean cold, List<Tool> tools, Results results)
      throws IOException, InterruptedException {
    for (int round = 1; round <= rounds; round++) {
      for (Tool tool : tools) {
        Path work = directory.resolve(WORK).resolve(Integer.toString(results.runs().size()));
        Results.Run run = run(work, dataset, source, cold, tool, round);
        results.runs().add(run);
        System.err.println(line(run));
      }
    }
  }

  private List<Tool> tools() {
    List<Tool> tools = new ArrayList<>();
    for (Tool tool : Tool.all(jar)) {
      boolean wanted =
          only.isEmpty() || only.contains(tool.name()) || tool.name().equals(Results.BASELINE);
      if (wanted && tool.installed()) {
        tools.add(tool);
      } else if (wanted) {
        System.err.println("without " + tool.name() + ": " + tool.install());
      }
    }
    return tools;
  }

  private Results.Run run(
      Path work, String dataset, Path source, boolean cold, Tool tool, int round)
      throws IOException, InterruptedException {
    Trees.Size size = Trees.size(source);
    Path destination = Files.createDirectories(work.resolve("destination"));
    Cost cost = null;
    String problem = null;
    try {
      cost = tool.run().move(source, destination, work, () -> prepare(work, size, cold));
      // Some tools put a directory into the destination, not its contents.
      Path nested = destination.resolve(source.getFileName());
      List<String> differences =
          Trees.differences(source, Files.isDirectory(nested) ? nested : destination);
      if (!differences.isEmpty()) {
        cost = null;
        problem =
            "wrong result: %d of %d paths differ, as %s"
                .formatted(differences.size(), size.files(), differences.get(0));
      }
    } catch (IOException e) {
      problem = e.getMessage();
    }
    remove(work, size);
    return new Results.Run(dataset, size.bytes(), size.files(), tool.name(), round, cost, problem);
  }

  /** A failure here is not a tool's: it ends the comparison. */
  private static void prepare(Path work, Trees.Size size, boolean cold)
      throws InterruptedException {
    try {
      Machine.writeBack();
      Machine.touchMemory(work, size, Machine.PROCESSES);
      if (cold) {
        Machine.dropPageCache();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String line(Results.Run run) {
    return run.cost() == null
        ? "%s round %d %s: %s".formatted(run.dataset(), run.round(), run.tool(), run.problem())
        : String.format(
            Locale.ROOT,
            "%s round %d %s: %.2f s wall, %.2f s CPU, %.0f MB",
            run.dataset(),
            run.round(),
            run.tool(),
            run.cost().wallSeconds(),
            run.cost().cpuSeconds(),
            run.cost().peakMegabytes());
  }

  private int report(Results results) throws IOException {
    Files.createDirectories(resultsDirectory);
    Report.writeJson(results, resultsDirectory.resolve("results.json"));
    String table = Report.table(results);
    Files.writeString(resultsDirectory.resolve("results.md"), table);
    Report.plot(results, resultsDirectory.resolve("results.png"));
    System.out.println(table);
    List<String> worse =
        against == null ? List.of() : Report.worse(Report.readJson(against), results);
    worse.forEach(line -> System.out.println("worse: " + line));
    boolean ours =
        results.runs().stream()
            .allMatch(run -> !Tool.OURS.contains(run.tool()) || run.cost() != null);
    return ours && worse.isEmpty() ? 0 : 1;
  }
}
