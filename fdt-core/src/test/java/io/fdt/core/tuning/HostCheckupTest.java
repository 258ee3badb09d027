package io.fdt.core.tuning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is said of a host. */
class HostCheckupTest {
  private static final Optional<PathGoal> LONG =
      Optional.of(new PathGoal(125_000_000, Duration.ofMillis(150)));

  private static Finding on(HostLimits host, Optional<PathGoal> goal, String subject) {
    List<Finding> found =
        HostCheckup.of(host, goal).stream().filter(f -> f.subject().equals(subject)).toList();
    assertThat(found).as(subject).hasSize(1);
    return found.get(0);
  }

  private static List<String> subjects(HostLimits host, Optional<PathGoal> goal) {
    return HostCheckup.of(host, goal).stream()
        .filter(finding -> finding.grade() != Finding.Grade.OK)
        .map(Finding::subject)
        .toList();
  }

  @Test
  void aStockHostIsGoodForShortPaths() {
    Optional<PathGoal> near = Optional.of(new PathGoal(125_000_000, Duration.ofMillis(1)));
    assertThat(subjects(Hosts.stock(), near)).containsExactly("mtu probing");
    assertThat(on(Hosts.stock(), near, "send buffer").text())
        .endsWith(", enough for 119 MiB/s (1.00 Gbit/s) at 1.0 ms");
  }

  @Test
  void aStockHostIsSmallForLongPaths() {
    assertThat(subjects(Hosts.stock(), Optional.empty()))
        .containsExactly("send buffer", "receive buffer", "mtu probing");
    assertThat(on(Hosts.stock(), Optional.empty(), "receive buffer").lines())
        .containsExactly(
            "net.core.rmem_max = 33554432", "net.ipv4.tcp_rmem = 4096 131072 33554432");

    assertThat(subjects(Hosts.stock(), LONG))
        .containsExactly("send buffer", "receive buffer", "mtu probing", "idle streams");
    Finding send = on(Hosts.stock(), LONG, "send buffer");
    assertThat(send.text())
        .isEqualTo(
            "one stream has at most 3.00 MiB (of the 4.00 MiB that net.ipv4.tcp_wmem allows) under"
                + " way, which carries 20.0 MiB/s (168 Mbit/s); 119 MiB/s (1.00 Gbit/s) at 150 ms"
                + " takes 6 streams (TransferRequest.streams(6)), or a larger buffer");
    assertThat(send.lines())
        .containsExactly("net.core.wmem_max = 33554432", "net.ipv4.tcp_wmem = 4096 16384 33554432");
  }

  @Test
  void noMoreStreamsAreAdvisedThanThereMayBe() {
    Optional<PathGoal> fast = Optional.of(new PathGoal(12_500_000_000L, Duration.ofMillis(150)));

    assertThat(on(Hosts.stock(), fast, "send buffer").text())
        .endsWith(
            " takes a larger buffer: even 128 streams, the most there are, carry 2.50 GiB/s (21.5"
                + " Gbit/s)");
  }

  @ParameterizedTest
  @CsvSource({
    "net.ipv4.tcp_window_scaling=0, windows, net.ipv4.tcp_window_scaling = 1",
    "net.ipv4.tcp_sack=0, selective acks, net.ipv4.tcp_sack = 1",
    "net.ipv4.tcp_timestamps=0, timestamps, net.ipv4.tcp_timestamps = 1",
    "net.ipv4.tcp_mtu_probing=0, mtu probing, net.ipv4.tcp_mtu_probing = 1",
    "net.core.default_qdisc=pfifo_fast, packet queue, net.core.default_qdisc = fq"
  })
  void whatIsOffIsNamedWithItsLine(String setting, String subject, String line) {
    HostLimits host = Hosts.changed(Hosts.stock(), setting);
    Finding finding = on(host, Optional.empty(), subject);
    assertThat(finding.grade()).isEqualTo(Finding.Grade.BETTER);
    assertThat(finding.lines()).containsExactly(line);
  }

  @Test
  void whatIsNotKnownIsNoFault() {
    assertThat(subjects(Hosts.with(), Optional.empty())).isEmpty();
    assertThat(on(Hosts.with(), LONG, "send buffer").text())
        .isEqualTo("not known: net.ipv4.tcp_wmem cannot be read here");
  }

  @ParameterizedTest
  @CsvSource({"0, OK", "1, PROBLEM", "127, PROBLEM", "128, BETTER", "1024, BETTER", "4096, OK"})
  void fewOpenFilesAreAProblem(long most, Finding.Grade grade) {
    HostLimits host = host(8, 8L << 30, most, 4L << 30, true);
    assertThat(on(host, Optional.empty(), "open files").grade()).isEqualTo(grade);
  }

  @ParameterizedTest
  @CsvSource({"8192, 4096, OK", "255, 4096, BETTER", "8192, 63, PROBLEM", "0, 4096, OK"})
  void littleMemoryIsAProblem(long freeMib, long blockMib, Finding.Grade grade) {
    HostLimits host = host(8, freeMib << 20, 4096, blockMib << 20, true);
    assertThat(on(host, Optional.empty(), "memory").grade()).isEqualTo(grade);
  }

  @Test
  void whatFdtIsMadeOfIsTold() {
    assertThat(subjects(host(1, 8L << 30, 4096, 4L << 30, false), Optional.empty()))
        .containsExactly("processors", "sockets", "encryption");
  }

  private static HostLimits host(
      int processors, long free, long openFiles, long blockBytes, boolean isNative) {
    return new HostLimits(
        "Linux",
        processors,
        16L << 30,
        free,
        openFiles,
        new HostLimits.Program("17", blockBytes, isNative, isNative),
        Map.of());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "net.ipv4.tcp_rmem | 4096\\t131072\\t6291456\\n | 4096 131072 6291456",
        "net.ipv4.tcp_rmem | 4096 131072 |",
        "net.ipv4.tcp_rmem | 4096 131072 -1 |",
        "net.ipv4.tcp_rmem | 4096 131072 6291456 1 |",
        "net.core.rmem_max | 1234567890123456789 |",
        "net.core.rmem_max | 12; reboot |",
        "net.ipv4.tcp_congestion_control | bbr | bbr",
        "net.ipv4.tcp_congestion_control | bbr cubic |",
        "net.ipv4.tcp_available_congestion_control | reno  cubic bbr2 | reno cubic bbr2",
        "net.ipv4.tcp_congestion_control | Bbr |",
      })
  void onlyWhatCanBeASettingIsOne(String key, String text, String value) {
    String raw = text.replace("\\t", "\t").replace("\\n", "\n");
    assertThat(KernelSetting.ofKey(key).orElseThrow().value(raw))
        .isEqualTo(Optional.ofNullable(value));
  }

  @Test
  void noHostHasImpossibleSettings() {
    assertThat(KernelSetting.RMEM_MAX.value("")).isEmpty();
    assertThat(KernelSetting.RMEM_MAX.value("1".repeat(100_000))).isEmpty();
    assertThat(KernelSetting.ofKey("kernel.hostname")).isEmpty();
    assertThatThrownBy(() -> Hosts.with("net.core.rmem_max=many"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 125000000",
    "100e6, 125000000",
    "120e6, 1250000000",
    "2e9, 12500000000",
    "1e15, 125000000000"
  })
  void theNextRateIsAimedAt(double seen, long rate) {
    assertThat(PathGoal.rateAbove(seen)).isEqualTo(rate);
  }
}
