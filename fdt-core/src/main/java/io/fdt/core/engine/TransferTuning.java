package io.fdt.core.engine;

import io.fdt.core.tuning.Bottleneck;
import io.fdt.core.tuning.CongestionTuner;
import io.fdt.core.tuning.CountTuner;
import io.fdt.core.tuning.CpuModel;
import io.fdt.core.tuning.Sample;
import io.fdt.core.tuning.Tuning;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does at a sender what the searches make of its samples: uses more or fewer of its streams, reads
 * disks with more or fewer threads, has TCP use another congestion control.
 *
 * <p>Not thread-safe: confined to the event loop of the session.
 */
final class TransferTuning {
  /** Streams that a client opens for it. More are parked than used, on most paths. */
  static final int MOST_STREAMS = 32;

  static final int MOST_READERS = 16;

  private static final Logger LOG = LoggerFactory.getLogger(TransferTuning.class);

  private final String name;
  private final StreamSet streams;
  private final DiskScheduler readers;
  private final Optional<CountTuner> streamTuner;
  private final Optional<CountTuner> readerTuner;
  private final Optional<CongestionTuner> congestionTuner;

  /**
   * @param name the session's, for logs
   * @param roundTrip of the path; zero when it is not known
   */
  TransferTuning(
      String name, Tuning tuning, StreamSet streams, DiskScheduler readers, Duration roundTrip) {
    this.name = name;
    this.streams = streams;
    this.readers = readers;
    this.streamTuner =
        tuning.streams() ? Optional.of(streamTuner(tuning, roundTrip)) : Optional.empty();
    this.readerTuner =
        tuning.readers()
            ? Optional.of(
                new CountTuner(
                    readers.threadsPerDisk(),
                    MOST_READERS,
                    limit -> limit == Bottleneck.SOURCE_DISK))
            : Optional.empty();
    this.congestionTuner =
        tuning.triesCongestion() ? Optional.of(new CongestionTuner()) : Optional.empty();
    streamTuner.ifPresent(tuner -> streams.use(tuner.count()));
  }

  private static CountTuner streamTuner(Tuning tuning, Duration roundTrip) {
    int start =
        tuning.startStreams() > 0
            ? Math.min(tuning.startStreams(), MOST_STREAMS)
            : CountTuner.startStreams(
                TimeUnit.NANOSECONDS.toMicros(roundTrip.toNanos()),
                SendWindow.most(),
                MOST_STREAMS);
    return new CountTuner(start, MOST_STREAMS, Bottleneck::isNetwork);
  }

  /**
   * Acts on what was seen.
   *
   * @return what is different from now on, and why; empty for nothing
   */
  String act(Sample sample) {
    String change = congestionTuner.map(tuner -> tryCongestion(tuner, sample)).orElse("");
    if (congestionTuner.filter(CongestionTuner::isTrying).isPresent()) {
      return change;
    }
    if (streamTuner.isPresent()) {
      CountTuner tuner = streamTuner.get();
      int before = tuner.count();
      if (tuner.next(sample) != before) {
        streams.use(tuner.count());
        change = said(change, "%d streams in place of %d", tuner.count(), before, tuner.reason());
        logStreams(sample, before, tuner);
      }
    }
    if (readerTuner.isPresent()) {
      CountTuner tuner = readerTuner.get();
      int before = tuner.count();
      if (tuner.next(sample) != before) {
        readers.setThreadsPerDisk(tuner.count());
        change =
            said(change, "%d readers a disk in place of %d", tuner.count(), before, tuner.reason());
      }
    }
    return change;
  }

  private static String said(String before, String what, int now, int then, String reason) {
    String text = what.formatted(now, then) + " (" + reason + ")";
    return before.isEmpty() ? text : before + "; " + text;
  }

  private String tryCongestion(CongestionTuner tuner, Sample sample) {
    boolean before = tuner.usesOther();
    boolean after = tuner.next(sample);
    if (after == before) {
      return "";
    }
    if (!streams.setCongestion(after ? CongestionTuner.TRIED : "")) {
      tuner.refused();
      streams.setCongestion("");
    }
    return "congestion control "
        + (tuner.usesOther() ? CongestionTuner.TRIED : "as the system has it")
        + " ("
        + tuner.reason()
        + ")";
  }

  private void logStreams(Sample sample, int before, CountTuner tuner) {
    LOG.debug(
        "streams session={} before={} now={} bytesPerSecond={} limitedBy={} reason={} served={}",
        name,
        before,
        tuner.count(),
        Math.round(sample.rate()),
        Bottleneck.of(sample),
        tuner.reason(),
        CpuModel.served(sample).orElse(0));
  }
}
