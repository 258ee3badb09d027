package io.fdt.cli.output.text;

import io.fdt.core.tuning.Bottleneck;
import io.fdt.core.tuning.CpuModel;
import io.fdt.core.tuning.Observation;
import io.fdt.core.tuning.PathGoal;
import io.fdt.core.tuning.Sample;
import io.fdt.core.unit.NumberText;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/** The limits of a transfer in words, while it runs and as a summary. Any thread. */
public final class Explanation {
  /** A limit is shown after this many observations in a row. */
  private static final int TIMES = 2;

  /** The share from which a processor has no room for more. */
  private static final double FULL = 0.95;

  private final Map<Bottleneck, Double> seconds = new EnumMap<>(Bottleneck.class);
  private Optional<Sample> whole = Optional.empty();
  private Observation last;
  private Bottleneck shown;
  private int leastStreams = Integer.MAX_VALUE;
  private int mostStreams;
  private int times;

  /** Adds an observation; returns new lines for display. */
  public synchronized List<String> add(Observation seen) {
    Sample sample = seen.sample();
    times = last != null && last.limitedBy() == seen.limitedBy() ? times + 1 : 1;
    last = seen;
    seconds.merge(seen.limitedBy(), sample.seconds(), Double::sum);
    whole = Optional.of(whole.map(before -> before.and(sample)).orElse(sample));
    if (sample.streams() > 0) {
      leastStreams = Math.min(leastStreams, sample.streams());
      mostStreams = Math.max(mostStreams, sample.streams());
    }
    List<String> lines = new ArrayList<>();
    if (seen.limitedBy() != shown && times >= TIMES) {
      shown = seen.limitedBy();
      lines.add("limited by " + shown.text() + ": " + now(seen));
    }
    if (!seen.change().isEmpty()) {
      lines.add(seen.change());
    }
    return lines;
  }

  private static String now(Observation seen) {
    Sample sample = seen.sample();
    return NumberText.rate(sample.rate())
        + ", "
        + NumberText.count(sample.streams(), "stream")
        + roundTrip(sample)
        + ", disks: source %s, destination %s, processors: sender %s, receiver %s"
            .formatted(
                percent(sample.sourceBusy()),
                percent(sample.destinationBusy()),
                percent(sample.senderCpu()),
                percent(sample.receiverCpu()));
  }

  private static String roundTrip(Sample sample) {
    return sample.roundTripMicros() == 0
        ? ""
        : ", round trip %s (least %s)"
            .formatted(millis(sample.roundTripMicros()), millis(sample.leastRoundTripMicros()));
  }

  private static String millis(long micros) {
    return PathGoal.millis(Duration.of(micros, ChronoUnit.MICROS));
  }

  private static String percent(double share) {
    return Math.round(share * 100) + " %";
  }

  /** The limit for most of the time; empty without observations. */
  public synchronized Optional<Bottleneck> most() {
    return seconds.entrySet().stream().max(Map.Entry.comparingByValue()).map(Map.Entry::getKey);
  }

  /** All observations as one; empty without any. */
  public synchronized Optional<Sample> whole() {
    return whole;
  }

  /** The summary, as text. */
  synchronized List<String> summary() {
    if (whole.isEmpty()) {
      return List.of("what limited it: it was over within a second");
    }
    Sample sample = whole.get();
    List<String> limits = new ArrayList<>();
    seconds.entrySet().stream()
        .sorted(Map.Entry.<Bottleneck, Double>comparingByValue(Comparator.reverseOrder()))
        .forEach(
            limit ->
                limits.add(
                    limit.getKey().text() + " " + percent(limit.getValue() / sample.seconds())));
    Duration time = Duration.ofMillis(Math.round(sample.seconds() * 1000));
    List<String> lines = new ArrayList<>();
    lines.add("what limited it: " + String.join(", ", limits) + " of " + NumberText.duration(time));
    lines.add("  network: " + network(sample));
    lines.add(
        "  disks: source busy %s (%s a disk), destination busy %s; processors: sender %s, receiver %s"
                .formatted(
                    percent(sample.sourceBusy()),
                    NumberText.count(last.readers(), "reader"),
                    percent(sample.destinationBusy()),
                    percent(sample.senderCpu()),
                    percent(sample.receiverCpu()))
            + served(sample));
    return lines;
  }

  /** The prediction of the model of Kim and Huh. */
  private static String served(Sample sample) {
    OptionalInt served = CpuModel.served(sample);
    boolean isFull = Math.max(sample.senderCpu(), sample.receiverCpu()) >= FULL;
    return served.isEmpty() || isFull
        ? ""
        : ", enough for " + NumberText.count(served.getAsInt(), "stream") + " like these";
  }

  private String network(Sample sample) {
    String streams =
        leastStreams < mostStreams
            ? leastStreams + " to " + NumberText.count(mostStreams, "stream")
            : NumberText.count(mostStreams, "stream");
    String congestion = last.congestion().isEmpty() ? "" : ", " + last.congestion();
    String loss =
        sample.segments() == 0
            ? ""
            : String.format(Locale.US, ", %.4f %% of segments sent again", sample.loss() * 100);
    return streams + congestion + roundTrip(sample) + loss;
  }
}
