package io.fdt.spark;

import io.fdt.cli.option.parse.UsageException;
import io.fdt.cli.output.Screen;
import io.fdt.cli.process.ProcessSurroundings;
import io.fdt.cli.run.CommandContext;
import io.fdt.cli.run.ExitHooks;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.IoReason;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.spark.SparkConf;
import org.apache.spark.sql.SparkSession;

/**
 * The command of the jar: {@code spark-submit --class io.fdt.spark.Copy fdt-spark.jar copy
 * [options] SOURCE... DEST}. Exits with the statuses of {@code fdt copy}.
 */
public final class Copy {
  private static final String COPY = "copy";
  private static final String REPORT = "--report";
  private static final int USAGE = 2;
  private static final int FAILED = 1;
  private static final int INTERRUPTED = 130;

  private Copy() {}

  /** Runs the command and ends the process with its exit status. */
  public static void main(String[] arguments) {
    // Numbers are also for programs, so they must not depend on the locale.
    Locale.setDefault(Locale.Category.FORMAT, Locale.US);
    CommandContext context =
        new CommandContext(new ProcessSurroundings(), Screen.ofProcess(), ExitHooks.OF_PROCESS);
    System.exit(run(List.of(arguments), context, Copy::session, SparkSession::stop));
  }

  /** The session of spark-submit; without a master, it uses all processors of this machine. */
  private static SparkSession session() {
    SparkConf conf = new SparkConf();
    SparkSession.Builder builder = SparkSession.builder().config(conf);
    if (!conf.contains("spark.master")) {
      builder.master("local[*,4]"); // as often as in a cluster
    }
    if (!conf.contains("spark.app.name")) {
      builder.appName("fdt copy");
    }
    return builder.getOrCreate();
  }

  /**
   * Runs the command; the result is its exit status.
   *
   * @param sessions provides the session once the arguments are valid
   * @param end takes it back
   */
  static int run(
      List<String> words,
      CommandContext context,
      Supplier<SparkSession> sessions,
      Consumer<SparkSession> end) {
    Screen screen = context.screen();
    int status;
    try {
      status = copy(words, context, sessions, end);
    } catch (UsageException e) {
      screen.problem(e.getMessage());
      status = USAGE;
    } catch (FdtException e) {
      screen.problem(e.getMessage());
      status = e.code().exitStatus();
    } catch (IOException e) {
      screen.problem("the plan or the report: " + IoReason.of(e));
      status = FAILED;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      status = INTERRUPTED;
    }
    return screen.flush() || status != 0 ? status : FAILED;
  }

  private static int copy(
      List<String> words,
      CommandContext context,
      Supplier<SparkSession> sessions,
      Consumer<SparkSession> end)
      throws UsageException, IOException, InterruptedException {
    if (words.isEmpty() || !words.get(0).equals(COPY)) {
      throw new UsageException(
          "the first word must be copy: spark-submit --class io.fdt.spark.Copy fdt-spark.jar copy"
              + " [options] SOURCE... DEST");
    }
    List<String> others = new ArrayList<>(words.subList(1, words.size()));
    Optional<Path> report = report(others).map(context.surroundings().workingDirectory()::resolve);
    Optional<SparkCopy> asked = SparkCopy.of(others, context);
    if (asked.isEmpty()) {
      return 0; // help
    }
    boolean reports = report.isPresent() || asked.get().json();
    try (SparkCopy copy = asked.get()) {
      SparkSession session = sessions.get();
      try {
        return copy(copy, session, report, reports);
      } finally {
        end.accept(session);
      }
    }
  }

  private static int copy(
      SparkCopy copy, SparkSession session, Optional<Path> report, boolean reports)
      throws IOException, InterruptedException {
    CommandContext context = copy.context();
    try (CopyJob job = new CopyJob(session, copy.plan(), context.environment(), reports)) {
      UnitFigures figures = job.run();
      if (reports) {
        job.record();
        if (report.isPresent()) {
          copy.writeReport(report.get());
        }
        if (copy.json()) {
          copy.writeReport(copy.ownReport());
          context.screen().text(summary(copy.ownReport()));
        }
      }
      if (!copy.json()) {
        tellFailures(figures, context.screen(), report.isPresent());
        context.screen().line(line(figures));
      }
      return figures.exitStatus();
    }
  }

  private static void tellFailures(UnitFigures figures, Screen screen, boolean reports) {
    figures.messages().forEach(screen::problem);
    long others = figures.failed() - figures.messages().size();
    if (others > 0) {
      screen.problem(
          "%,d more failed; %s"
              .formatted(others, reports ? "see the report" : "add --report FILE to see them"));
    }
  }

  /** Removes the report's file from the arguments, because a plan has none. */
  private static Optional<Path> report(List<String> words) throws UsageException {
    int end = words.contains("--") ? words.indexOf("--") : words.size();
    for (int i = 0; i < end; i++) {
      if (words.get(i).startsWith(REPORT + "=")) {
        return Optional.of(Path.of(words.remove(i).substring(REPORT.length() + 1)));
      }
      if (words.get(i).equals(REPORT)) {
        words.remove(i);
        if (i == words.size()) {
          throw new UsageException(REPORT + " needs the name of a file");
        }
        return Optional.of(Path.of(words.remove(i)));
      }
    }
    return Optional.empty();
  }

  /** The last line of a report. */
  private static String summary(Path report) throws IOException {
    String line = "";
    try (var lines = Files.newBufferedReader(report, StandardCharsets.UTF_8)) {
      for (String next = lines.readLine(); next != null; next = lines.readLine()) {
        line = next;
      }
    }
    return line.substring(line.indexOf('{'), line.length() - 1);
  }

  private static String line(UnitFigures figures) {
    return "%,d files copied, %,d bytes moved, %,d kept; %,d unchanged, %,d due, %,d failed, %,d deleted"
        .formatted(
            figures.done(),
            figures.bytesMoved(),
            figures.bytesKept(),
            figures.unchanged(),
            figures.due(),
            figures.failed(),
            figures.deleted());
  }
}
