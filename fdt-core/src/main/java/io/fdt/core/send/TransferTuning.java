package io.fdt.core.send;

import io.fdt.core.engine.DiskWorkers;
import io.fdt.core.engine.StreamSet;
import io.fdt.core.model.Tuning;
import io.fdt.core.tuning.Bottleneck;
import io.fdt.core.tuning.ConcurrencyTuner;
import io.fdt.core.tuning.CongestionTuner;
import io.fdt.core.tuning.CpuModel;
import io.fdt.core.tuning.Sample;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Applies the decisions of the tuners at a sender: changes the number of streams in use, the
 * readers per disk, and the congestion control of TCP. One tuner experiments at a time; the others
 * wait, and drop their measurements.
 *
 * <p>Not thread-safe: confined to the event loop of the session.
 */
final class TransferTuning {
  /** The most readers per disk, unless the user asks for more. */
  static final int MOST_READERS = 16;

  private static final Logger LOG = LoggerFactory.getLogger(TransferTuning.class);

  private final String name;
  private final StreamSet streams;
  private final DiskWorkers readers;
  private final Optional<ConcurrencyTuner> streamTuner;
  private final Optional<ConcurrencyTuner> readerTuner;
  private final Optional<CongestionTuner> congestionTuner;

  /**
   * @param name of the session, for logs
   * @param mostStreams that the session opens
   * @param roundTrip of the path; zero when unknown
   */
  TransferTuning(
      String name,
      Tuning tuning,
      int mostStreams,
      StreamSet streams,
      DiskWorkers readers,
      Duration roundTrip) {
    this.name = name;
    this.streams = streams;
    this.readers = readers;
    this.streamTuner =
        tuning.streams()
            ? Optional.of(streamTuner(tuning, mostStreams, roundTrip))
            : Optional.empty();
    this.readerTuner =
        tuning.readers()
            ? Optional.of(
                new ConcurrencyTuner(
                    readers.threadsPerDisk(),
                    Math.max(MOST_READERS, readers.threadsPerDisk()),
                    limit -> limit == Bottleneck.SOURCE_DISK,
                    sample -> OptionalInt.empty()))
            : Optional.empty();
    this.congestionTuner =
        tuning.triesCongestion() ? Optional.of(new CongestionTuner()) : Optional.empty();
    streamTuner.ifPresent(tuner -> streams.use(tuner.count()));
  }

  private static ConcurrencyTuner streamTuner(Tuning tuning, int most, Duration roundTrip) {
    int start =
        tuning.startStreams() > 0
            ? Math.min(tuning.startStreams(), most)
            : ConcurrencyTuner.startStreams(
                TimeUnit.NANOSECONDS.toMicros(roundTrip.toNanos()), SendWindow.most(), most);
    return new ConcurrencyTuner(start, most, Bottleneck::isNetwork, CpuModel::served);
  }

  /**
   * Acts on a sample.
   *
   * @return the change of settings and its reason; empty for none
   */
  String act(Sample sample) {
    if (Bottleneck.isDrained(sample)) {
      return ""; // no setting changes what is left
    }
    boolean readersTry = isTrying(readerTuner);
    String change = "";
    if (!readersTry && !isStepped(streamTuner)) {
      change = congestionTuner.map(tuner -> tryCongestion(tuner, sample)).orElse("");
    }
    if (!change.isEmpty()) {
      streamTuner.ifPresent(tuner -> streams.use(tuner.restart()));
      readerTuner.ifPresent(tuner -> readers.setThreadsPerDisk(tuner.restart()));
    }
    if (!change.isEmpty() || congestionTuner.filter(CongestionTuner::isTrying).isPresent()) {
      return change;
    }
    if (readersTry) {
      streamTuner.ifPresent(ConcurrencyTuner::disturbed);
    } else {
      change = streamTuner.map(tuner -> tryStreams(tuner, sample)).orElse("");
    }
    if (!change.isEmpty() || isTrying(streamTuner)) {
      readerTuner.ifPresent(ConcurrencyTuner::disturbed);
      return change;
    }
    return readerTuner.map(tuner -> tryReaders(tuner, sample)).orElse("");
  }

  private static boolean isTrying(Optional<ConcurrencyTuner> tuner) {
    return tuner.filter(ConcurrencyTuner::isTrying).isPresent();
  }

  private static boolean isStepped(Optional<ConcurrencyTuner> tuner) {
    return tuner.filter(ConcurrencyTuner::isStepped).isPresent();
  }

  private String tryStreams(ConcurrencyTuner tuner, Sample sample) {
    int before = tuner.count();
    if (tuner.next(sample) == before) {
      return "";
    }
    streams.use(tuner.count());
    congestionTuner.ifPresent(CongestionTuner::disturbed);
    logStreams(sample, before, tuner);
    return said("%d streams in place of %d", tuner.count(), before, tuner.reason());
  }

  private String tryReaders(ConcurrencyTuner tuner, Sample sample) {
    int before = tuner.count();
    if (tuner.next(sample) == before) {
      return "";
    }
    readers.setThreadsPerDisk(tuner.count());
    congestionTuner.ifPresent(CongestionTuner::disturbed);
    return said("%d readers a disk in place of %d", tuner.count(), before, tuner.reason());
  }

  private static String said(String what, int now, int then, String reason) {
    return what.formatted(now, then) + " (" + reason + ")";
  }

  private String tryCongestion(CongestionTuner tuner, Sample sample) {
    boolean before = tuner.usesTried();
    boolean after = tuner.next(sample);
    if (after == before) {
      return "";
    }
    if (!streams.setCongestion(after ? CongestionTuner.TRIED : "")) {
      tuner.refused();
      streams.setCongestion("");
    }
    return "congestion control "
        + (tuner.usesTried() ? CongestionTuner.TRIED : "as the system has it")
        + " ("
        + tuner.reason()
        + ")";
  }

  private void logStreams(Sample sample, int before, ConcurrencyTuner tuner) {
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
