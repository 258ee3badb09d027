package io.fdt.cli.output.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.client.TransferRequest.Direction;
import io.fdt.core.tuning.Bottleneck;
import io.fdt.core.tuning.HostLimits;
import io.fdt.core.tuning.KernelSetting;
import io.fdt.core.tuning.Sample;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What would help, when what a transfer was limited by is known. */
class ExplainedAdviceTest {
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
    List<String> lines = ExplainedAdvice.lines(Bottleneck.CPU, seen, Direction.PULL, host, host);
    return String.join("\n", lines);
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

  @Test
  void hostsAreAskedForWindowsThatStreamsWaitedFor() {
    assertThat(ExplainedAdvice.isOfHosts(Bottleneck.CPU, seen(540, 150_000))).isTrue();
    assertThat(ExplainedAdvice.isOfHosts(Bottleneck.SOURCE_DISK, seen(540, 150_000))).isFalse();
    assertThat(ExplainedAdvice.isOfHosts(Bottleneck.LOSS, seen(540, 150_000))).isTrue();
  }
}
