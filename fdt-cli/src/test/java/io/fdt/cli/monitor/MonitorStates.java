package io.fdt.cli.monitor;

import io.fdt.client.TransferProgress;
import io.fdt.core.model.TransferFigures;
import io.fdt.core.tuning.Bottleneck;
import io.fdt.core.tuning.Detail;
import io.fdt.core.tuning.DiskState;
import io.fdt.core.tuning.EndState;
import io.fdt.core.tuning.Observation;
import io.fdt.core.tuning.Sample;
import io.fdt.core.tuning.StreamState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** What monitors of tests show. */
final class MonitorStates {
  private static final long MIB = 1 << 20;
  private static final long GIB = 1 << 30;

  private static final TransferProgress PROGRESS =
      new TransferProgress(
          new TransferFigures(
              new TransferFigures.Files(12, 3, 0, 1, 0, 40, 0),
              3 * GIB / 2,
              4 * GIB,
              0,
              0,
              0,
              0,
              0,
              0,
              0,
              0,
              0,
              0,
              true),
          4,
          Duration.ofMillis(31_250),
          Duration.ZERO,
          "");

  private MonitorStates() {}

  static MonitorState of(int streams, String title, String... messages) {
    return state(Optional.of(seen(Optional.of(detail(streams)))), title, List.of(messages));
  }

  /** Of a peer whose FDT tells no details. */
  static MonitorState ofOldPeer() {
    return state(Optional.of(seen(Optional.empty())), "h:1:/a to b", List.of());
  }

  /** Before the sender has said anything. */
  static MonitorState ofStart() {
    return state(Optional.empty(), "h:1:/a to b", List.of());
  }

  static MonitorState asking(MonitorState state) {
    return new MonitorState(
        state.title(),
        state.progress(),
        state.bytesPerSecond(),
        state.rates(),
        state.seen(),
        state.limitedFor(),
        state.messages(),
        true);
  }

  private static MonitorState state(
      Optional<Observation> seen, String title, List<String> messages) {
    List<Double> rates = new ArrayList<>();
    IntStream.range(0, 31).forEach(second -> rates.add(2e6 * second));
    return new MonitorState(
        title, PROGRESS, 60e6, rates, seen, Duration.ofSeconds(65), messages, false);
  }

  private static Observation seen(Optional<Detail> detail) {
    Sample sample =
        new Sample(
            1,
            60_000_000,
            4,
            50_000,
            5,
            152_000,
            150_000,
            0,
            0.8,
            0.9,
            0.1,
            0.4,
            0.2,
            0.3,
            0.25,
            0.3,
            false,
            false);
    return new Observation(sample, Bottleneck.SEND_BUFFER, 2, "cubic", "", detail);
  }

  private static Detail detail(int streams) {
    List<StreamState> all =
        IntStream.range(0, streams)
            .mapToObj(
                number ->
                    new StreamState(
                        number,
                        number == 3,
                        number == 3 ? 0 : 15_000_000 + number,
                        152_000 + number,
                        150_000,
                        12_500,
                        number,
                        4 * MIB,
                        number * 1000L))
            .toList();
    EndState sender =
        new EndState(
            0.35,
            0.12,
            210 * MIB,
            8 * GIB,
            6 * GIB,
            12 * MIB,
            32 * MIB,
            List.of(new DiskState("259:0", 0.4, 3, 2)));
    EndState receiver =
        new EndState(
            0.25,
            0.2,
            180 * MIB,
            16 * GIB,
            GIB,
            0,
            32 * MIB,
            List.of(new DiskState("8:0", 0.9, 31, 2), new DiskState("8:16", 0.2, 0, 2)));
    return new Detail(sender, receiver, 1536, 2, streams + (streams == 64 ? 6 : 0), all);
  }
}
