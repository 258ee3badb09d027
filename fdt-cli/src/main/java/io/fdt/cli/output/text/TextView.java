package io.fdt.cli.output.text;

import io.fdt.cli.option.transfer.Copy;
import io.fdt.cli.option.transfer.CopyOutput;
import io.fdt.cli.output.Screen;
import io.fdt.cli.output.TransferView;
import io.fdt.cli.process.StandardOutput;
import io.fdt.client.DeletedName;
import io.fdt.client.DoneFile;
import io.fdt.client.FileProblem;
import io.fdt.client.FoundFile;
import io.fdt.client.TransferProgress;
import io.fdt.client.TransferReport;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.PathText;
import io.fdt.core.model.SyncRule;
import io.fdt.core.model.TransferFigures;
import io.fdt.core.tuning.Observation;
import io.fdt.core.unit.NumberText;
import io.fdt.core.unit.RateWindow;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.UnaryOperator;

/** A transfer as text: progress, problems as they happen, a summary. */
public final class TextView implements TransferView {
  private static final Duration RATE_WINDOW = Duration.ofSeconds(3);
  private static final Duration REDRAW = Duration.ofMillis(200);
  private static final Duration PLAIN_LINES = Duration.ofSeconds(5);

  /** Most names that a dry run holds to sort them. Memory: about 300 bytes each. */
  private static final int MOST_SORTED = 200_000;

  private static final String CONTINUE = "run the same command again to continue";

  private final Optional<OutputStream> sink;
  private final CopyOutput output;
  private final Screen screen;
  private final boolean dryRun;
  private final boolean isOwn;
  private final UnaryOperator<String> names;
  private final boolean listsFiles;
  private final Optional<BytePath> backups;
  private final Optional<SyncRule.Level> level;
  private final LongAdder newer = new LongAdder();
  private final RateWindow meter;
  private final Explanation explanation;
  private final SharedReasons reasons = new SharedReasons();

  /** The names of a dry run; null when they are too many to be sorted. */
  private List<Named> sorted = new ArrayList<>();

  private List<String> advice = List.of();

  /** The line of a name; deleted names come last. */
  private record Named(boolean goes, String name, String line) {}

  /**
   * @param names the name of a file at the destination, from its path
   * @param listsFiles whether each copied file is named
   * @param explanation takes the observations of the sender
   */
  public TextView(
      Copy copy,
      UnaryOperator<String> names,
      boolean listsFiles,
      Explanation explanation,
      Screen screen) {
    this(
        copy.request().spec().dryRun(),
        true,
        copy.output(),
        copy.request().spec().backups(),
        Optional.of(copy.request().spec().sync().level()),
        copy.request().output(),
        names,
        listsFiles,
        explanation,
        screen);
  }

  /** The view of a transfer that another command has started. */
  public TextView(boolean dryRun, CopyOutput output, boolean listsFiles, Screen screen) {
    this(
        dryRun,
        false,
        output,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        UnaryOperator.identity(),
        listsFiles,
        new Explanation(),
        screen);
  }

  private TextView(
      boolean dryRun,
      boolean isOwn,
      CopyOutput output,
      Optional<BytePath> backups,
      Optional<SyncRule.Level> level,
      Optional<OutputStream> sink,
      UnaryOperator<String> names,
      boolean listsFiles,
      Explanation explanation,
      Screen screen) {
    this.explanation = explanation;
    this.sink = sink;
    this.output = output;
    this.screen = screen;
    this.dryRun = dryRun;
    this.isOwn = isOwn;
    this.names = names;
    this.listsFiles = listsFiles;
    this.backups = backups;
    this.level = level;
    this.meter = new RateWindow(screen.isTerminal() ? RATE_WINDOW : PLAIN_LINES);
    meter.add(System.nanoTime(), 0);
  }

  @Override
  public void started() {
    // Not shown to people.
  }

  @Override
  public Duration progressPeriod() {
    return screen.isTerminal() ? REDRAW : PLAIN_LINES;
  }

  @Override
  public void progress(TransferProgress progress) {
    boolean isIdle = isRepeated() && progress.figures().bytesDone() == 0;
    if (output.quiet() || (isIdle && !screen.isTerminal())) {
      return;
    }
    meter.add(System.nanoTime(), progress.figures().bytesDone());
    if (screen.isTerminal()) {
      screen.status(ProgressLine.render(progress, meter.bytesPerSecond(), screen.columns() - 1));
    } else {
      screen.note(ProgressLine.plain(progress, meter.bytesPerSecond()));
    }
  }

  private boolean isRepeated() {
    return output.occasion() == CopyOutput.Occasion.REPEATED;
  }

  @Override
  public void failed(FdtException cause) {
    screen.problem(cause.getMessage());
  }

  /** Whether the reader of standard output has closed it, which needs no message. */
  private boolean isReaderGone() {
    return sink.filter(out -> out instanceof StandardOutput s && s.isReaderGone()).isPresent();
  }

  @Override
  public void ended(TransferReport report, int exitStatus) {
    TransferFigures figures = report.figures();
    screen.endStatus();
    if (isReaderGone()) {
      return;
    }
    reasons.takeOthers().forEach(screen::problem);
    boolean somethingArrived = figures.bytesDone() > 0 || figures.files().done() > 0;
    if (report.failure().isPresent()) {
      screen.problem(report.failureMessage());
    }
    boolean isNews =
        !isRepeated() || somethingArrived || figures.deleted() > 0 || figures.files().failed() > 0;
    if (!output.quiet() && isNews && (report.failure().isEmpty() || somethingArrived)) {
      boolean moves = backups.isPresent();
      var unchanged = new SummaryLine.Unchanged(level, newer.sum());
      screen.line(
          dryRun
              ? SummaryLine.ofDryRun(report, moves, unchanged)
              : SummaryLine.of(report, moves, unchanged));
    }
    if (isOwn && !dryRun && !isRepeated() && isContinuable(report)) {
      screen.note(CONTINUE);
    }
    showSorted();
    explain(somethingArrived);
  }

  /** Explains the rate of a transfer that moved something, or took its time. */
  private void explain(boolean moved) {
    if (output.explain() && !dryRun && (moved || explanation.whole().isPresent())) {
      explanation.summary().forEach(screen::note);
      advice.forEach(screen::note);
    }
  }

  /** Whether a repetition continues this transfer. */
  private static boolean isContinuable(TransferReport report) {
    return report.figures().files().total() > 0
        && report.failure().filter(code -> code.retry() == ErrorCode.Retry.LATER).isPresent();
  }

  @Override
  public void advice(List<String> lines) {
    advice = lines;
  }

  @Override
  public void observed(Observation seen) {
    List<String> lines = explanation.add(seen);
    if (output.explain()) {
      lines.forEach(screen::note);
    }
  }

  @Override
  public void interrupted(TransferProgress progress) {
    reasons.takeOthers().forEach(screen::problem);
    String line = SummaryLine.interrupted(progress);
    screen.note(isOwn ? line + "; " + CONTINUE : line);
    explain(false);
  }

  @Override
  public void fileDone(DoneFile file) {
    if (output.digests()) {
      String digest = (file.construction() + " " + file.digest()).strip();
      screen.line(digest + "  " + names.apply(file.path()));
    } else if (listsFiles) {
      screen.line(names.apply(file.path()));
    }
  }

  @Override
  public void fileDue(FoundFile file) {
    if (showsNames()) {
      String name = names.apply(file.path());
      pretended(new Named(false, name, "would copy %s (%s)".formatted(name, state(file))));
    }
  }

  private static String state(FoundFile file) {
    String bytes = NumberText.bytes(file.bytesToMove());
    if (file.bytesToMove() < file.size()) {
      return "resumes, " + bytes + " left of " + NumberText.bytes(file.size());
    }
    return (file.replaces() ? "changed, " : "new, ") + bytes;
  }

  @Override
  public void deleted(DeletedName name) {
    if (name.pretended()) {
      if (showsNames()) {
        pretended(new Named(true, name.path(), deletedLine(name)));
      }
    } else if (!output.quiet()) {
      screen.line(deletedLine(name));
    }
  }

  /** Whether a dry run names files. */
  private boolean showsNames() {
    return !output.quiet() && (listsFiles || output.occasion() != CopyOutput.Occasion.QUESTION);
  }

  private synchronized void pretended(Named named) {
    if (sorted != null && sorted.size() == MOST_SORTED) {
      showSorted();
      sorted = null;
    }
    if (sorted == null) {
      screen.line(named.line());
    } else {
      sorted.add(named);
    }
  }

  private synchronized void showSorted() {
    if (sorted != null) {
      sorted.sort(Comparator.comparing(Named::goes).thenComparing(Named::name));
      sorted.forEach(named -> screen.line(named.line()));
      sorted = new ArrayList<>();
    }
  }

  /** The line of a deletion, or of a move to the backups. */
  private String deletedLine(DeletedName name) {
    if (backups.isEmpty()) {
      return (name.pretended() ? "would delete " : "deleted ") + name.path();
    }
    return (name.pretended() ? "would move " : "moved ") + name.path() + " to " + backups.get();
  }

  @Override
  public void fileUnchanged(FoundFile file) {
    if (file.newer()) {
      newer.increment();
    }
  }

  @Override
  public void problem(FileProblem problem) {
    boolean isNews = !output.quiet() || !problem.skipped();
    if (isNews && !isReaderGone() && !reasons.isReported(problem)) {
      screen.problem(problemLine(problem));
    }
  }

  @Override
  public void notice(String message) {
    if (!output.quiet()) {
      screen.note(message);
    }
  }

  /** The line of a problem, with its path. */
  static String problemLine(FileProblem problem) {
    String line = PathText.named(problem.path(), problem.message());
    return problem.skipped() ? "skipped " + line : line;
  }
}
