package io.fdt.cli.output.json;

import io.fdt.client.TransferProgress;
import io.fdt.core.model.LineText;
import io.fdt.core.model.TransferFigures;
import io.fdt.core.tuning.Detail;
import io.fdt.core.tuning.DiskState;
import io.fdt.core.tuning.EndState;
import io.fdt.core.tuning.Observation;
import io.fdt.core.tuning.StreamState;
import io.fdt.core.unit.BitRate;
import java.time.Duration;

/** The figures of a monitor as an event. Stateless. */
final class MonitorEvent {
  private MonitorEvent() {}

  /**
   * The event.
   *
   * @param bytesPerSecond the current rate
   * @param seen the sender's last observation
   */
  static String line(TransferProgress progress, double bytesPerSecond, Observation seen) {
    TransferFigures figures = progress.figures();
    JsonEvent event =
        new JsonEvent("monitor")
            .with("elapsed_seconds", progress.elapsed())
            .with("bytes_done", figures.bytesDone())
            .with("bytes_per_second", Math.round(bytesPerSecond))
            .with(
                "mean_bytes_per_second",
                Math.round(BitRate.mean(figures.bytesDone(), progress.elapsed())))
            .with("files_done", figures.files().done())
            .with("files_unchanged", figures.files().unchanged())
            .with("files_failed", figures.files().failed())
            .with("limited_by", seen.limitedBy())
            .with("change", LineText.clean(seen.change()))
            .with("congestion", seen.congestion())
            .with("seconds", Duration.ofMillis(Math.round(seen.sample().seconds() * 1000)));
    seen.detail().ifPresent(detail -> withDetail(event, detail, seen.sample().seconds()));
    return event.line();
  }

  private static void withDetail(JsonEvent event, Detail detail, double seconds) {
    event
        .with("blocks", detail.blocks())
        .with("blocks_repeated", detail.blocksRepeated())
        .with("sender", end(detail.sender()));
    if (detail.receiver().isKnown()) {
      event.with("receiver", end(detail.receiver()));
    }
    event
        .with("open_streams", detail.openStreams())
        .with("streams", detail.streams(), stream -> stream(stream, seconds));
  }

  private static JsonEvent end(EndState end) {
    return new JsonEvent()
        .withShare("cpu", end.cpu())
        .withShare("own_cpu", end.ownCpu())
        .with("process_bytes", end.processBytes())
        .with("host_bytes", end.hostBytes())
        .with("host_free_bytes", end.hostFreeBytes())
        .with("waiting_bytes", end.waitingBytes())
        .with("budget_bytes", end.budgetBytes())
        .with("disks", end.disks(), MonitorEvent::disk);
  }

  private static JsonEvent disk(DiskState disk) {
    return new JsonEvent()
        .with("name", disk.name())
        .withShare("busy", disk.busy())
        .with("waiting", disk.waiting())
        .with("threads", disk.threads());
  }

  private static JsonEvent stream(StreamState stream, double seconds) {
    return new JsonEvent()
        .with("number", stream.number())
        .with("parked", stream.parked())
        .with("bytes_per_second", Math.round(stream.bytes() / seconds))
        .with("round_trip_micros", stream.roundTripMicros())
        .with("least_round_trip_micros", stream.leastRoundTripMicros())
        .with("segments", stream.segments())
        .with("segments_repeated", stream.retransmits())
        .with("window_bytes", stream.windowBytes())
        .with("queued_bytes", stream.queuedBytes());
  }
}
