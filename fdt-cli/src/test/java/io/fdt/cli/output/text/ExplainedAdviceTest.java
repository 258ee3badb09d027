package io.fdt.cli.output.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.client.TransferRequest;
import io.fdt.core.tuning.Bottleneck;
import io.fdt.core.tuning.HostLimits;
import io.fdt.core.tuning.KernelSetting;
import io.fdt.core.tuning.Observation;
import io.fdt.core.tuning.Sample;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What would help, when what a transfer was limited by is known. */
class ExplainedAdviceTest {
  private static final TransferRequest PULL =
      TransferRequest.pull().source("/data").destination("copy").build();
  private static final String AS_WELL = "what limited it as well: the sender's TCP buffer";

  private static HostLimits host() {
    Map<KernelSetting, String> settings = new EnumMap<>(KernelSetting.class);
    settings.put(KernelSetting.ofKey("net.ipv4.tcp_wmem").orElseThrow(), "4096 16384 4194304");
    settings.put(KernelSetting.ofKey("net.ipv4.tcp_rmem").orElseThrow(), "4096 131072 6291456");
    return new HostLimits(
        "Linux 6.1 amd64",
        2,
        16L << 30,
        8L << 30,
        4096,
        new HostLimits.Program("17.0.1", 4L << 30, true, true),
        settings);
  }

  /** Four streams on busy processors, each waiting for its buffer. */
  private static Sample seen(double mbit, int roundTripMicros) {
    return new Sample(
        10,
        Math.round(10 * mbit * 125_000),
        4,
        500_000,
        0,
        roundTripMicros,
        roundTripMicros,
        0,
        0.9,
        0.9,
        0.1,
        0.4,
        0.2,
        0.97,
        0.97,
        0.6,
        false,
        false);
  }

  private static String lines(Sample seen, boolean known) {
    Optional<HostLimits> host = known ? Optional.of(host()) : Optional.empty();
    return String.join("\n", ExplainedAdvice.lines(Bottleneck.CPU, seen, PULL, host, host));
  }

  @ParameterizedTest
  @CsvSource({
    "540, 150000, true, true", // 2.5 MB under way in each stream, of the 3.1 that it may have
    "540, 150000, false, false", // nobody knows what a stream may have
    "4000, 40, true, false" // who is too busy to read fills a window, too, but not with data under
    // way
  })
  void aFullWindowIsNamedBesideBusyProcessors(
      double mbit, int roundTripMicros, boolean known, boolean named) {
    String lines = lines(seen(mbit, roundTripMicros), known);

    assertThat(lines.contains(AS_WELL)).isEqualTo(named);
    assertThat(lines.contains("tcp_wmem")).isEqualTo(named);
    assertThat(lines).contains("A processor is busy all the time");
  }

  /** A path whose queue has grown: the summary shows 37 ms. */
  @Test
  void theRoundTripIsThatOfTheSummary() {
    Sample seen =
        new Sample(
            10,
            30_000_000,
            4,
            20_000,
            0,
            37_000,
            4,
            0.9,
            0,
            0.9,
            0,
            0.1,
            0.1,
            0.1,
            0.1,
            0.1,
            false,
            true);
    Explanation explanation = new Explanation();
    explanation.add(new Observation(seen, Bottleneck.RECEIVE_WINDOW, 2, "cubic", ""));

    assertThat(explanation.summary().get(1)).contains("round trip 37 ms (least 0.004 ms)");
    assertThat(
            ExplainedAdvice.lines(
                Bottleneck.RECEIVE_WINDOW, seen, PULL, Optional.of(host()), Optional.of(host())))
        .first()
        .asString()
        .contains("For 119 MiB/s (1.00 Gbit/s) at 37 ms, 4.41 MiB must be under way");
  }

  @Test
  void hostsAreAskedForWindowsThatStreamsWaitedFor() {
    assertThat(ExplainedAdvice.isOfHosts(Bottleneck.CPU, seen(540, 150_000))).isTrue();
    assertThat(ExplainedAdvice.isOfHosts(Bottleneck.SOURCE_DISK, seen(540, 150_000))).isFalse();
    assertThat(ExplainedAdvice.isOfHosts(Bottleneck.LOSS, seen(540, 150_000))).isTrue();
  }
}
