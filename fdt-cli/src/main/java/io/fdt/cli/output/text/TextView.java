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
import java.util.List;
import java.util.Optional;

/** A transfer for a person: progress, problems as they happen, a summary. */
public final class TextView implements TransferView {
  private static final Duration RATE_WINDOW = Duration.ofSeconds(3);
  private static final Duration REDRAW = Duration.ofMillis(200);
  private static final Duration PLAIN_LINES = Duration.ofSeconds(5);

  private final Optional<OutputStream> sink;
  private final boolean explain;
  private final Screen screen;
  private final boolean dryRun;
  private final boolean listsFiles;
  private final boolean quiet;
  private final boolean repeated;
  private final Optional<BytePath> backups;
  private final Optional<SyncRule.Level> level;
  private final RateWindow meter;
  private final Explanation explanation;
  private final SharedReasons reasons = new SharedReasons();
  private List<String> advice = List.of();

  /**
   * @param listsFiles whether each copied file is named, with its digest
   * @param explanation takes the observations of the sender
   */
  public TextView(Copy copy, boolean listsFiles, Explanation explanation, Screen screen) {
    this(
        copy.request().spec().dryRun(),
        copy.output(),
        copy.request().spec().backups(),
        Optional.of(copy.request().spec().sync().level()),
        copy.request().output(),
        listsFiles,
        explanation,
        screen);
  }

  /** The view of a transfer that another command has started. */
  public TextView(boolean dryRun, CopyOutput output, boolean listsFiles, Screen screen) {
    this(
        dryRun,
        output,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        listsFiles,
        new Explanation(),
        screen);
  }

  private TextView(
      boolean dryRun,
      CopyOutput output,
      Optional<BytePath> backups,
      Optional<SyncRule.Level> level,
      Optional<OutputStream> sink,
      boolean listsFiles,
      Explanation explanation,
      Screen screen) {
    this.explanation = explanation;
    this.sink = sink;
    this.explain = output.explain();
    this.screen = screen;
    this.dryRun = dryRun;
    this.listsFiles = listsFiles;
    this.quiet = output.quiet();
    this.repeated = output.repeated();
    this.backups = backups;
    this.level = level;
    this.meter = new RateWindow(screen.isTerminal() ? RATE_WINDOW : PLAIN_LINES);
    meter.add(System.nanoTime(), 0);
  }

  @Override
  public void started() {
    // Nothing for people.
  }

  @Override
  public Duration progressPeriod() {
    return screen.isTerminal() ? REDRAW : PLAIN_LINES;
  }

  @Override
  public void progress(TransferProgress progress) {
    if (quiet || (repeated && !screen.isTerminal() && progress.figures().bytesDone() == 0)) {
      return;
    }
    meter.add(System.nanoTime(), progress.figures().bytesDone());
    if (screen.isTerminal()) {
      // A terminal that wraps when its last column is written keeps one free.
      int width = screen.columns() - 1;
      screen.status(ProgressLine.render(progress, meter.bytesPerSecond(), width));
    } else {
      screen.note(ProgressLine.plain(progress, meter.bytesPerSecond()));
    }
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
        !repeated || somethingArrived || figures.deleted() > 0 || figures.files().failed() > 0;
    if (!quiet && isNews && (report.failure().isEmpty() || somethingArrived)) {
      boolean moves = backups.isPresent();
      screen.line(
          dryRun
              ? SummaryLine.ofDryRun(report, moves, level)
              : SummaryLine.of(report, moves, level));
    }
    if (explain && !dryRun) {
      explanation.summary().forEach(screen::note);
      advice.forEach(screen::note);
    }
  }

  @Override
  public void advice(List<String> lines) {
    advice = lines;
  }

  @Override
  public void observed(Observation seen) {
    List<String> lines = explanation.add(seen);
    if (explain) {
      lines.forEach(screen::note);
    }
  }

  @Override
  public void interrupted(TransferProgress progress) {
    reasons.takeOthers().forEach(screen::problem);
    screen.note(SummaryLine.interrupted(progress));
  }

  @Override
  public void fileDone(DoneFile file) {
    if (listsFiles) {
      screen.line(fileLine(file));
    }
  }

  @Override
  public void fileDue(FoundFile file) {
    if (!quiet) {
      screen.line("would copy " + file.path() + " (" + NumberText.bytes(file.bytesToMove()) + ")");
    }
  }

  @Override
  public void deleted(DeletedName name) {
    if (!quiet) {
      screen.line(deletedLine(name));
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
  public void problem(FileProblem problem) {
    boolean isNews = !quiet || !problem.skipped();
    if (isNews && !isReaderGone() && !reasons.isReported(problem)) {
      screen.problem(problemLine(problem));
    }
  }

  @Override
  public void notice(String message) {
    if (!quiet) {
      screen.note(message);
    }
  }

  /** A file after its digest. */
  private static String fileLine(DoneFile file) {
    return (file.construction() + " " + file.digest()).strip() + "  " + file.path();
  }

  /** The line of a problem, with its path. */
  static String problemLine(FileProblem problem) {
    String line = PathText.named(problem.path(), problem.message());
    return problem.skipped() ? "skipped " + line : line;
  }
}
