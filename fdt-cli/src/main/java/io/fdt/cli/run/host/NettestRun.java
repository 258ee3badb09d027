package io.fdt.cli.run.host;

import io.fdt.cli.option.access.ClientAccess;
import io.fdt.cli.option.route.ServerAddress;
import io.fdt.cli.output.Screen;
import io.fdt.cli.output.json.JsonEvent;
import io.fdt.cli.output.text.Explanation;
import io.fdt.cli.output.text.SummaryLine;
import io.fdt.cli.run.Clients;
import io.fdt.cli.run.Command;
import io.fdt.cli.run.CommandContext;
import io.fdt.cli.run.Interruption;
import io.fdt.cli.run.TokenSource;
import io.fdt.cli.run.TransferRun;
import io.fdt.client.AccessToken;
import io.fdt.client.FdtClient;
import io.fdt.client.FileProblem;
import io.fdt.client.NettestRequest;
import io.fdt.client.Transfer;
import io.fdt.client.TransferListener;
import io.fdt.client.TransferProgress;
import io.fdt.client.TransferReport;
import io.fdt.core.error.FdtException;
import io.fdt.core.tuning.Bottleneck;
import io.fdt.core.tuning.Observation;
import io.fdt.core.unit.BitRate;
import io.fdt.core.unit.NumberText;
import io.fdt.core.unit.RateWindow;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/** Measures the network to a server. */
public record NettestRun(
    ServerAddress server, NettestRequest request, boolean json, ClientAccess access)
    implements Command {
  @Override
  public int run(CommandContext context) throws InterruptedException, FdtException {
    Screen screen = context.screen();
    Optional<AccessToken> token = TokenSource.given(access, context.environment());
    Limits limits = new Limits();
    TransferReport report = measure(token, context, limits);
    if (token.isEmpty() && TransferRun.wantsToken(report)) {
      token = TokenSource.asked(screen);
      report = token.isEmpty() ? report : measure(token, context, limits);
    }
    if (report == null) {
      return TransferRun.INTERRUPTED;
    }
    if (report.failure().isPresent()) {
      throw new FdtException(report.failure().get(), report.failureMessage());
    }
    if (json) {
      JsonEvent result = new JsonEvent("nettest");
      limits.most().ifPresent(limit -> result.with("limited_by", limit));
      result
          .with("server", server)
          .with("direction", request.direction())
          .with("streams", request.streams())
          .with("seconds", report.elapsed())
          .with("bytes", report.figures().bytesDone())
          .with(
              "bytes_per_second",
              Math.round(BitRate.mean(report.figures().bytesDone(), report.elapsed())))
          .show(screen);
      JsonEvent.end(screen, report.exitStatus());
    } else {
      screen.line(SummaryLine.of(request, report, limits.most()));
    }
    return report.exitStatus();
  }

  /** The limits that the sender has seen. Any thread. */
  private static final class Limits implements TransferListener {
    private final Explanation explanation = new Explanation();

    @Override
    public void observed(Observation seen) {
      explanation.add(seen);
    }

    @Override
    public void problem(FileProblem problem) {}

    /** The limit for most of the time; empty for one that is none of the network. */
    Optional<Bottleneck> most() {
      return explanation
          .most()
          .filter(limit -> limit == Bottleneck.RATE_LIMIT || limit.isNetwork());
    }
  }

  private TransferReport measure(Optional<AccessToken> token, CommandContext context, Limits limits)
      throws InterruptedException, FdtException {
    Screen screen = context.screen();
    try (FdtClient client = Clients.open(server, access, token, context)) {
      Transfer transfer = client.start(request, limits);
      try (Interruption interruption = context.onInterruption(() -> interrupt(transfer, screen))) {
        TransferReport report =
            TransferRun.await(transfer, Duration.ofSeconds(1), showRate(json, screen));
        return interruption.hasHappened() ? null : report;
      }
    }
  }

  private static Consumer<TransferProgress> showRate(boolean json, Screen screen) {
    RateWindow meter = new RateWindow(Duration.ofSeconds(1));
    meter.add(System.nanoTime(), 0);
    return progress -> {
      meter.add(System.nanoTime(), progress.figures().bytesDone());
      if (progress.elapsed().isZero()) {
        return; // it has not begun yet
      }
      if (json) {
        new JsonEvent("rate")
            .with("seconds", progress.elapsed())
            .with("bytes_per_second", Math.round(meter.bytesPerSecond()))
            .show(screen);
        return;
      }
      screen.line(
          "%6s  %s"
              .formatted(
                  NumberText.duration(progress.elapsed()),
                  NumberText.networkRate(meter.bytesPerSecond())));
    };
  }

  private static void interrupt(Transfer transfer, Screen screen) {
    screen.endQuestions();
    Duration elapsed = transfer.progress().elapsed();
    TransferRun.cancel(transfer);
    screen.note("interrupted after " + NumberText.duration(elapsed));
  }
}
