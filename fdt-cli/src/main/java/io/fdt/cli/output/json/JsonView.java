package io.fdt.cli.output.json;

import io.fdt.cli.option.transfer.Copy;
import io.fdt.cli.output.Screen;
import io.fdt.cli.output.TransferView;
import io.fdt.client.RelayFigures;
import io.fdt.client.RemoteSession;
import io.fdt.client.TransferProgress;
import io.fdt.client.TransferReport;
import io.fdt.client.TransferRequest;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.LineText;
import io.fdt.core.model.SyncRule;
import io.fdt.core.model.TransferFigures;
import io.fdt.core.tuning.Observation;
import io.fdt.core.tuning.Sample;
import io.fdt.core.unit.RateWindow;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The events of a transfer for a program, on standard output. */
public final class JsonView extends FileEvents implements TransferView {
  private static final Duration PERIOD = Duration.ofSeconds(1);

  private final String start;
  private final boolean explain;
  private final boolean monitor;
  private final Screen screen;
  private final RateWindow meter = new RateWindow(Duration.ofSeconds(3));
  private volatile Observation seen;

  /** The elapsed time of the last progress event. */
  private volatile Duration shown = Duration.ZERO;

  private long monitorNanos = System.nanoTime() - PERIOD.toNanos();

  /**
   * @param start the first event
   * @param level by which existing files count as unchanged; empty when that is not known
   * @param backups where deleted names are moved to; empty when they are removed, or not known
   * @param explain whether to show what limits the transfer
   * @param monitor whether to show all figures
   */
  public JsonView(
      String start,
      Optional<SyncRule.Level> level,
      Optional<BytePath> backups,
      boolean explain,
      boolean monitor,
      Screen screen) {
    super(screen::text, level, backups);
    this.start = start;
    this.explain = explain;
    this.monitor = monitor;
    this.screen = screen;
    meter.add(System.nanoTime(), 0);
  }

  /** The events of a command that has failed. */
  public static void failed(Screen screen, ErrorCode code, String message, int exitStatus) {
    error(screen, code, message);
    JsonEvent.end(screen, exitStatus);
  }

  /** The event of a failure that does not end the command. */
  public static void error(Screen screen, ErrorCode code, String message) {
    screen.text(FileEvents.error(code, message));
  }

  /** The first event. */
  public static String start(Copy copy) {
    TransferRequest request = copy.request();
    return new JsonEvent("start")
        .with("direction", request.direction())
        .with("server", copy.server())
        .with("source_server", copy.source().map(Copy.Server::address))
        .withPaths(
            "sources", request.spec().sources().stream().map(s -> s.path().toString()).toList())
        .withPaths("destination", List.of(request.spec().destination().toString()))
        .with("dry_run", request.spec().dryRun())
        .line();
  }

  /**
   * The first event of a transfer that another command has started.
   *
   * @param server that runs it
   */
  public static String attached(RemoteSession session, String server) {
    return new JsonEvent("start")
        .with("direction", "between")
        .with("server", session.request().isSender() ? session.request().peer() : server)
        .with("source_server", session.request().isSender() ? server : session.request().peer())
        .withPaths("sources", session.request().sources())
        .withPaths("destination", List.of(session.request().destination()))
        .with("dry_run", session.request().isDryRun())
        .with("session", session.shortId())
        .with("id", session.id())
        .line();
  }

  /** The event of a transfer that continues without this command. */
  public static String detached(String id, String server) {
    return new JsonEvent("detached")
        .with("session", id.substring(0, 8))
        .with("id", id)
        .with("server", server)
        .line();
  }

  /** The event of one session in a list. */
  public static String session(RemoteSession session, String server) {
    JsonEvent event =
        new JsonEvent("session")
            .with("session", session.shortId())
            .with("id", session.id())
            .with("state", session.state())
            .with("run_by", server)
            .with("server", session.request().isSender() ? session.request().peer() : server)
            .with("source_server", session.request().isSender() ? server : session.request().peer())
            .withPaths("sources", session.request().sources())
            .with("source_count", session.request().sourceCount())
            .withPaths("destination", List.of(session.request().destination()))
            .with("dry_run", session.request().isDryRun())
            .with("owner", session.request().owner())
            .with("detached", session.isDetached())
            .with("clients", session.clients())
            .with("bytes_done", session.figures().bytesDone())
            .with("bytes_total", session.figures().bytesTotal())
            .with("bytes_per_second", session.bytesPerSecond())
            .with("files_failed", session.figures().files().failed())
            .with("elapsed_seconds", session.elapsed());
    session.endedAgo().ifPresent(ago -> event.with("ended_seconds_ago", ago));
    session.failure().ifPresent(code -> event.withError(code, session.failureMessage()));
    return event.line();
  }

  /** The last event of a transfer. */
  public static String summary(TransferReport report, int exitStatus) {
    TransferFigures figures = report.figures();
    JsonEvent event =
        new JsonEvent("summary")
            .with("exit_status", exitStatus)
            .with("session", report.sessionId())
            .with("bytes", figures.bytesDone())
            .with("bytes_kept", figures.bytesKept())
            .with("bytes_matched", figures.bytesMatched())
            .with("bytes_due", figures.bytesDue())
            .with("wire_bytes", figures.wireBytes())
            .with("files_done", figures.files().done())
            .with("files_unchanged", figures.files().unchanged())
            .with("files_due", figures.files().due())
            .with("files_replaced", figures.files().replaced())
            .with("attributes_changed", figures.attributesChanged())
            .with("files_failed", figures.files().failed())
            .with("bytes_failed", figures.files().failedBytes())
            .with("directories", figures.directories())
            .with("links", figures.links())
            .with("links_replaced", figures.linksReplaced())
            .with("skipped", figures.skipped())
            .with("deleted", figures.deleted())
            .with("blocks_repeated", figures.blocksRepeated())
            .with("checksum", report.construction())
            .with("elapsed_seconds", report.elapsed());
    report.failure().ifPresent(code -> event.withError(code, report.failureMessage()));
    return event.line();
  }

  @Override
  public void started() {
    screen.text(start);
  }

  @Override
  public Duration progressPeriod() {
    return PERIOD;
  }

  @Override
  public void progress(TransferProgress progress) {
    TransferFigures figures = progress.figures();
    shown = progress.elapsed();
    meter.add(System.nanoTime(), figures.bytesDone());
    new JsonEvent("progress")
        .with("bytes_done", figures.bytesDone())
        .with("bytes_total", figures.bytesTotal())
        .with("files_done", figures.files().done())
        .with("files_unchanged", figures.files().unchanged())
        .with("files_failed", figures.files().failed())
        .with("files_total", figures.files().total())
        .with("totals_are_final", figures.totalsAreFinal())
        .with("bytes_per_second", Math.round(meter.bytesPerSecond()))
        .with("streams", progress.streams())
        .with("elapsed_seconds", progress.elapsed())
        .with("stalled_seconds", progress.stalledFor())
        .show(screen);
    long nowNanos = System.nanoTime();
    Observation last = seen;
    if (monitor && last != null && nowNanos - monitorNanos >= PERIOD.toNanos()) {
      monitorNanos = nowNanos;
      screen.text(MonitorEvent.line(progress, meter.bytesPerSecond(), last));
    }
  }

  @Override
  public void failed(FdtException cause) {
    screen.text(FileEvents.error(cause.code(), cause.getMessage()));
  }

  @Override
  public void ended(TransferReport report, int exitStatus) {
    report
        .failure()
        .ifPresent(code -> screen.text(FileEvents.error(code, report.failureMessage())));
    screen.text(summary(report, exitStatus));
  }

  /** {@inheritDoc} Shows the progress only if it is newer than the last event. */
  @Override
  public void interrupted(TransferProgress progress) {
    if (progress.elapsed().compareTo(shown) > 0) {
      progress(progress);
    }
  }

  @Override
  public void observed(Observation observation) {
    seen = observation;
    if (explain) {
      limits(observation).show(screen);
    }
  }

  @Override
  public void relays(List<RelayFigures> figures) {
    for (RelayFigures relay : figures) {
      JsonEvent event =
          new JsonEvent("relay")
              .with("relay", relay.relay())
              .with("target", relay.target())
              .with("connections", relay.connections());
      flow(event, "to_server_", relay.toServer());
      flow(event, "to_client_", relay.toClient());
      event.show(screen);
    }
  }

  private static void flow(JsonEvent event, String prefix, RelayFigures.Flow flow) {
    event
        .with(prefix + "bytes", flow.bytes())
        .withShare(prefix + "held", flow.held())
        .with(prefix + "round_trip_micros", flow.roundTripMicros())
        .with(prefix + "segments", flow.segments())
        .with(prefix + "segments_repeated", flow.segmentsRepeated())
        .with(prefix + "waiting_bytes", flow.waiting())
        .with(prefix + "most_waiting_bytes", flow.mostWaiting())
        .with(prefix + "congestion", flow.congestion());
  }

  private static JsonEvent limits(Observation seen) {
    Sample sample = seen.sample();
    return new JsonEvent("limits")
        .with("limited_by", seen.limitedBy())
        .with("seconds", Duration.ofMillis(Math.round(sample.seconds() * 1000)))
        .with("bytes", sample.bytes())
        .with("streams", sample.streams())
        .with("readers", seen.readers())
        .with("congestion", seen.congestion())
        .with("round_trip_micros", sample.roundTripMicros())
        .with("least_round_trip_micros", sample.leastRoundTripMicros())
        .with("segments", sample.segments())
        .with("segments_repeated", sample.retransmits())
        .withShare("receive_window", sample.receiveWindowShare())
        .withShare("send_buffer", sample.sendBufferShare())
        .withShare("sender_memory", sample.senderFill())
        .withShare("receiver_memory", sample.receiverFill())
        .withShare("source_disk", sample.sourceBusy())
        .withShare("destination_disk", sample.destinationBusy())
        .withShare("sender_cpu", sample.senderCpu())
        .withShare("receiver_cpu", sample.receiverCpu())
        .with("rate_limited", sample.rateLimited())
        .with("change", LineText.clean(seen.change()));
  }

  @Override
  public void notice(String message) {
    new JsonEvent("notice").withMessage(message).show(screen);
  }
}
