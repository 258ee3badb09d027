package io.fdt.cli;

import io.fdt.client.AccessToken;
import io.fdt.client.DoneFile;
import io.fdt.client.FdtClient;
import io.fdt.client.FileProblem;
import io.fdt.client.Transfer;
import io.fdt.client.TransferListener;
import io.fdt.client.TransferProgress;
import io.fdt.client.TransferReport;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * One transfer as a person sees it: progress while it runs, problems as they happen, a summary at
 * the end.
 */
final class TransferRun {
  /** The exit status of a process that was told to end, where the JVM does not set it itself. */
  static final int INTERRUPTED = 130;

  private static final Duration RATE_WINDOW = Duration.ofSeconds(3);
  private static final Duration REDRAW = Duration.ofMillis(200);
  private static final Duration PLAIN_LINES = Duration.ofSeconds(5);

  /** How long a process that was told to end waits until the peer has been told. */
  private static final Duration FAREWELL = Duration.ofSeconds(3);

  private TransferRun() {}

  /**
   * Moves a dataset; the result is an exit status.
   *
   * @param listsFiles whether each file that was moved is named, with its digest
   */
  static int copy(Command.Copy copy, boolean listsFiles, Screen screen)
      throws InterruptedException, FdtException {
    Optional<AccessToken> token = TokenSource.given(copy.access());
    TransferReport report = copy(copy, token, listsFiles, screen);
    if (token.isEmpty() && wantsToken(report)) {
      screen.status("");
      token = TokenSource.asked(screen);
      report = token.isEmpty() ? report : copy(copy, token, listsFiles, screen);
    }
    screen.endStatus();
    return report == null ? INTERRUPTED : end(report, screen);
  }

  private static boolean wantsToken(TransferReport report) {
    return report != null && report.failure().filter(ErrorCode.UNAUTHENTICATED::equals).isPresent();
  }

  /** Null when it was interrupted. */
  private static TransferReport copy(
      Command.Copy copy, Optional<AccessToken> token, boolean listsFiles, Screen screen)
      throws InterruptedException {
    try (FdtClient client = Clients.open(copy.server(), copy.access(), token, screen)) {
      Transfer transfer = client.start(copy.request(), listener(listsFiles, screen));
      try (Interruption interruption = Interruption.arm(() -> interrupt(transfer, screen))) {
        TransferReport report = await(transfer, progressPeriod(screen), showProgress(screen));
        return interruption.hasHappened() ? null : report;
      }
    }
  }

  /** Measures the network; the result is an exit status. */
  static int nettest(Command.Nettest nettest, Screen screen)
      throws InterruptedException, FdtException {
    Optional<AccessToken> token = TokenSource.given(nettest.access());
    TransferReport report = nettest(nettest, token, screen);
    if (token.isEmpty() && wantsToken(report)) {
      token = TokenSource.asked(screen);
      report = token.isEmpty() ? report : nettest(nettest, token, screen);
    }
    if (report == null) {
      return INTERRUPTED;
    }
    if (report.failure().isPresent()) {
      screen.problem(report.failureMessage());
    } else {
      screen.line(SummaryLine.of(nettest.request(), report));
    }
    return report.exitStatus();
  }

  private static TransferReport nettest(
      Command.Nettest nettest, Optional<AccessToken> token, Screen screen)
      throws InterruptedException {
    try (FdtClient client = Clients.open(nettest.server(), nettest.access(), token, screen)) {
      Transfer transfer = client.start(nettest.request());
      try (Interruption interruption = Interruption.arm(() -> interruptNettest(transfer, screen))) {
        TransferReport report = await(transfer, Duration.ofSeconds(1), showRate(screen));
        return interruption.hasHappened() ? null : report;
      }
    }
  }

  /** Waits for the end, and tells how far it is each time a period has passed. */
  private static TransferReport await(
      Transfer transfer, Duration period, Consumer<TransferProgress> observer)
      throws InterruptedException {
    while (true) {
      try {
        return transfer.completion().get(period.toMillis(), TimeUnit.MILLISECONDS);
      } catch (TimeoutException e) {
        observer.accept(transfer.progress());
      } catch (ExecutionException e) {
        throw new IllegalStateException("a transfer ended without a report", e.getCause());
      }
    }
  }

  private static Duration progressPeriod(Screen screen) {
    return screen.isTerminal() ? REDRAW : PLAIN_LINES;
  }

  private static Consumer<TransferProgress> showProgress(Screen screen) {
    RateMeter meter = new RateMeter(screen.isTerminal() ? RATE_WINDOW : PLAIN_LINES);
    meter.add(System.nanoTime(), 0);
    return progress -> {
      meter.add(System.nanoTime(), progress.bytesDone());
      if (screen.isTerminal()) {
        // A terminal that wraps when its last column is written keeps one free.
        int width = Terminal.columns() - 1;
        screen.status(ProgressLine.render(progress, meter.bytesPerSecond(), width));
      } else {
        screen.note(ProgressLine.plain(progress, meter.bytesPerSecond()));
      }
    };
  }

  private static Consumer<TransferProgress> showRate(Screen screen) {
    RateMeter meter = new RateMeter(Duration.ofSeconds(1));
    meter.add(System.nanoTime(), 0);
    return progress -> {
      meter.add(System.nanoTime(), progress.bytesDone());
      screen.line(
          String.format(
              Locale.ROOT,
              "%3d s  %s",
              progress.elapsed().toSeconds(),
              Figures.rate(meter.bytesPerSecond())));
    };
  }

  private static int end(TransferReport report, Screen screen) {
    boolean somethingArrived = report.bytes() > 0 || report.filesDone() > 0;
    if (report.failure().isPresent()) {
      screen.problem(report.failureMessage());
    }
    if (report.failure().isEmpty() || somethingArrived) {
      screen.line(SummaryLine.of(report));
    }
    return report.exitStatus();
  }

  private static TransferListener listener(boolean listsFiles, Screen screen) {
    return new TransferListener() {
      @Override
      public void fileDone(DoneFile file) {
        if (listsFiles) {
          screen.line(fileLine(file));
        }
      }

      @Override
      public void problem(FileProblem problem) {
        screen.problem(problemLine(problem));
      }

      @Override
      public void notice(String message) {
        screen.note(message);
      }
    };
  }

  /** A file and its digest, with nothing between them that could be in a digest. */
  private static String fileLine(DoneFile file) {
    return (file.construction() + " " + file.digest()).strip() + "  " + file.path();
  }

  /** What a problem says; the path comes first where the message does not name it. */
  static String problemLine(FileProblem problem) {
    return problem.message().contains(problem.path())
        ? problem.message()
        : problem.path() + ": " + problem.message();
  }

  private static void interrupt(Transfer transfer, Screen screen) {
    screen.endStatus();
    TransferProgress progress = transfer.progress();
    cancel(transfer);
    screen.note(SummaryLine.interrupted(progress));
  }

  private static void interruptNettest(Transfer transfer, Screen screen) {
    Duration elapsed = transfer.progress().elapsed();
    cancel(transfer);
    screen.note("interrupted after " + Figures.duration(elapsed));
  }

  private static void cancel(Transfer transfer) {
    transfer.cancel();
    try {
      transfer.completion().get(FAREWELL.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException | ExecutionException e) {
      return; // the peer will find the connection closed
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
