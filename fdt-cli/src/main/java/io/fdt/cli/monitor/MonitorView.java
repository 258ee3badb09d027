package io.fdt.cli.monitor;

import io.fdt.cli.option.transfer.Copy;
import io.fdt.cli.output.Screen;
import io.fdt.cli.output.TransferView;
import io.fdt.client.DeletedName;
import io.fdt.client.DoneFile;
import io.fdt.client.FileProblem;
import io.fdt.client.FoundFile;
import io.fdt.client.TransferProgress;
import io.fdt.client.TransferReport;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.LineText;
import io.fdt.core.model.TransferFigures;
import io.fdt.core.tuning.Bottleneck;
import io.fdt.core.tuning.Observation;
import io.fdt.core.unit.RateWindow;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The view of a copy with a monitor: a page while data moves, and lines before and after it. Any
 * thread.
 */
public final class MonitorView implements TransferView {
  private static final Duration PERIOD = Duration.ofMillis(500);
  private static final Duration RATE_WINDOW = Duration.ofSeconds(3);
  private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** No terminal has more columns for the plot. */
  private static final int MOST_RATES = 1000;

  private static final int MOST_MESSAGES = 4;

  private final TransferView text;
  private final String title;
  private final Map<String, String> environment;
  private final Screen screen;

  // Guarded by this.
  private final RateWindow meter = new RateWindow(RATE_WINDOW);
  private final Deque<Double> rates = new ArrayDeque<>();
  private TransferProgress last;
  private long secondNanos = System.nanoTime();
  private long secondBytes;
  private Observation seen;
  private Bottleneck limit;
  private long limitSinceNanos;
  private boolean asks;
  private boolean failed;
  private Runnable cancellation = () -> {};

  /**
   * @param text the view for everything outside the page
   * @param environment TERM, NO_COLOR and the locale
   */
  public MonitorView(TransferView text, Copy copy, Map<String, String> environment, Screen screen) {
    this.text = text;
    this.title = title(copy);
    this.environment = Map.copyOf(environment);
    this.screen = screen;
    meter.add(secondNanos, 0);
  }

  private static String title(Copy copy) {
    List<String> sources =
        copy.request().spec().sources().stream().map(s -> s.path().toString()).toList();
    String more = sources.size() == 1 ? "" : " and " + (sources.size() - 1) + " more";
    String destination = copy.request().spec().destination().toString();
    String from = sources.get(0) + more;
    return LineText.clean(
        switch (copy.request().direction()) {
          case PULL -> copy.server() + ":" + from + " to " + destination;
          case PUSH -> from + " to " + copy.server() + ":" + destination;
          case BETWEEN ->
              "%s:%s to %s:%s"
                  .formatted(
                      copy.source().orElseThrow().address(), from, copy.server(), destination);
        });
  }

  @Override
  public void started() {
    text.started();
  }

  @Override
  public synchronized void endedBy(Runnable wanted) {
    cancellation = wanted;
  }

  @Override
  public Duration progressPeriod() {
    return PERIOD;
  }

  @Override
  public void progress(TransferProgress progress) {
    note(progress, System.nanoTime());
    boolean isConnecting = progress.streams() == 0 && progress.figures().files().total() == 0;
    if (isConnecting || !isCovered()) {
      text.progress(progress);
    }
  }

  private synchronized void note(TransferProgress progress, long nowNanos) {
    TransferFigures figures = progress.figures();
    last = progress;
    meter.add(nowNanos, figures.bytesDone());
    if (nowNanos - secondNanos >= SECOND_NANOS) {
      rates.add(Math.max(0, figures.bytesDone() - secondBytes) * 1e9 / (nowNanos - secondNanos));
      if (rates.size() > MOST_RATES) {
        rates.remove();
      }
      secondNanos = nowNanos;
      secondBytes = figures.bytesDone();
    }
  }

  /** Opens a page if possible; returns whether a page is open. */
  private boolean isCovered() {
    synchronized (this) {
      if (failed) {
        return false;
      }
    }
    try {
      return screen.cover(this::open);
    } catch (IOException e) {
      failed(e);
      return false;
    }
  }

  private void failed(Exception cause) {
    synchronized (this) {
      failed = true;
    }
    screen.uncover();
    screen.note("--monitor shows lines in place of a page: " + cause.getMessage());
  }

  private Screen.Page open() throws IOException {
    boolean colours = environment.getOrDefault("NO_COLOR", "").isEmpty();
    boolean unicode = isUtf8(environment);
    return TerminalPage.open(
        environment.getOrDefault("TERM", "ansi"),
        (columns, rows) -> MonitorPage.lines(state(), columns, rows, colours, unicode),
        this::typed,
        this::failed);
  }

  /** The locale of the first variable that is set, as in C programs. */
  static boolean isUtf8(Map<String, String> environment) {
    for (String name : List.of("LC_ALL", "LC_CTYPE", "LANG")) {
      String locale = environment.getOrDefault(name, "");
      if (!locale.isEmpty()) {
        return locale.toUpperCase(Locale.ROOT).replace("-", "").contains("UTF8");
      }
    }
    return false;
  }

  private MonitorState state() {
    List<String> messages = screen.heldLines(MOST_MESSAGES);
    synchronized (this) {
      long nowNanos = System.nanoTime();
      return new MonitorState(
          title,
          last,
          meter.bytesPerSecond(),
          new ArrayList<>(rates),
          Optional.ofNullable(seen),
          Duration.ofNanos(limit == null ? 0 : nowNanos - limitSinceNanos),
          messages,
          asks);
    }
  }

  private void typed(int key) {
    Runnable ends = () -> {};
    synchronized (this) {
      if (asks && (key == 'y' || key == 'Y')) {
        ends = cancellation;
      }
      asks = !asks && (key == 'q' || key == 'Q');
    }
    ends.run();
  }

  @Override
  public void observed(Observation observation) {
    synchronized (this) {
      seen = observation;
      if (observation.limitedBy() != limit) {
        limit = observation.limitedBy();
        limitSinceNanos = System.nanoTime();
      }
    }
    text.observed(observation);
  }

  @Override
  public void advice(List<String> lines) {
    text.advice(lines);
  }

  @Override
  public void failed(FdtException cause) {
    text.failed(cause);
  }

  @Override
  public void ended(TransferReport report, int exitStatus) {
    text.ended(report, exitStatus);
  }

  @Override
  public void interrupted(TransferProgress progress) {
    text.interrupted(progress);
  }

  @Override
  public void fileDone(DoneFile file) {
    text.fileDone(file);
  }

  @Override
  public void fileUnchanged(FoundFile file) {
    text.fileUnchanged(file);
  }

  @Override
  public void fileDue(FoundFile file) {
    text.fileDue(file);
  }

  @Override
  public void deleted(DeletedName name) {
    text.deleted(name);
  }

  @Override
  public void problem(FileProblem problem) {
    text.problem(problem);
  }

  @Override
  public void notice(String message) {
    text.notice(message);
  }
}
