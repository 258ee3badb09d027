package io.fdt.cli.run;

import io.fdt.cli.command.Operation;
import io.fdt.cli.option.TokenSource;
import io.fdt.cli.output.CommandJson;
import io.fdt.cli.output.Figures;
import io.fdt.cli.output.JsonView;
import io.fdt.cli.output.RateMeter;
import io.fdt.cli.output.Screen;
import io.fdt.cli.output.SummaryLine;
import io.fdt.client.AccessToken;
import io.fdt.client.FdtClient;
import io.fdt.client.Transfer;
import io.fdt.client.TransferProgress;
import io.fdt.client.TransferReport;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/** A network test, and what every transfer of the command needs. */
public final class TransferRun {
  /** The exit status of a process that was told to end, where the JVM does not set it itself. */
  public static final int INTERRUPTED = 130;

  /** How long a process that was told to end waits until the peer has been told. */
  private static final Duration FAREWELL = Duration.ofSeconds(3);

  private TransferRun() {}

  /** Whether the server wants to see a token. */
  static boolean wantsToken(TransferReport report) {
    return report != null && report.failure().filter(ErrorCode.UNAUTHENTICATED::equals).isPresent();
  }

  /** Measures the network; the result is an exit status. */
  public static int nettest(Operation.Nettest nettest, CommandContext context)
      throws InterruptedException, FdtException {
    Screen screen = context.screen();
    Optional<AccessToken> token = TokenSource.given(nettest.access(), context.environment());
    TransferReport report = nettest(nettest, token, context);
    if (token.isEmpty() && wantsToken(report)) {
      token = TokenSource.asked(screen);
      report = token.isEmpty() ? report : nettest(nettest, token, context);
    }
    if (report == null) {
      return INTERRUPTED;
    }
    if (report.failure().isPresent()) {
      throw new FdtException(report.failure().get(), report.failureMessage());
    }
    if (nettest.json()) {
      screen.text(CommandJson.nettest(nettest, report));
      JsonView.tellEnd(screen, report.exitStatus());
    } else {
      screen.line(SummaryLine.of(nettest.request(), report));
    }
    return report.exitStatus();
  }

  private static TransferReport nettest(
      Operation.Nettest nettest, Optional<AccessToken> token, CommandContext context)
      throws InterruptedException, FdtException {
    Screen screen = context.screen();
    try (FdtClient client = Clients.open(nettest.server(), nettest.access(), token, context)) {
      Transfer transfer = client.start(nettest.request());
      try (Interruption interruption =
          context.onInterruption(() -> interruptNettest(transfer, screen))) {
        TransferReport report =
            await(transfer, Duration.ofSeconds(1), showRate(nettest.json(), screen));
        return interruption.hasHappened() ? null : report;
      }
    }
  }

  /** Waits for the end, and tells how far it is each time a period has passed. */
  static TransferReport await(
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

  private static Consumer<TransferProgress> showRate(boolean json, Screen screen) {
    RateMeter meter = new RateMeter(Duration.ofSeconds(1));
    meter.add(System.nanoTime(), 0);
    return progress -> {
      meter.add(System.nanoTime(), progress.bytesDone());
      if (progress.elapsed().isZero()) {
        return; // it has not begun yet
      }
      if (json) {
        screen.text(CommandJson.rate(progress, meter.bytesPerSecond()));
        return;
      }
      screen.line(
          "%6s  %s"
              .formatted(
                  Figures.duration(progress.elapsed()), Figures.rate(meter.bytesPerSecond())));
    };
  }

  private static void interruptNettest(Transfer transfer, Screen screen) {
    screen.endQuestions();
    Duration elapsed = transfer.progress().elapsed();
    cancel(transfer);
    screen.note("interrupted after " + Figures.duration(elapsed));
  }

  /** Ends it; its report, unless the farewell takes too long. */
  static Optional<TransferReport> cancel(Transfer transfer) {
    transfer.cancel();
    try {
      return Optional.of(transfer.completion().get(FAREWELL.toMillis(), TimeUnit.MILLISECONDS));
    } catch (TimeoutException | ExecutionException e) {
      return Optional.empty(); // the peer will find the connection closed
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }
}
