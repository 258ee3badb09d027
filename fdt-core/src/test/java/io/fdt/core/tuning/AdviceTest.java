package io.fdt.core.tuning;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What is advised in which situation. */
class AdviceTest {
  private static final double GBIT = 125e6;

  private static List<Advice> of(
      Bottleneck limit, HostLimits sender, HostLimits receiver, PathFigures path) {
    return Advice.of(limit, Optional.ofNullable(sender), Optional.ofNullable(receiver), path);
  }

  private static PathFigures path(long wanted, double seen, int millis, int streams, double loss) {
    return new PathFigures(
        wanted == 0 ? OptionalLong.empty() : OptionalLong.of(wanted),
        seen,
        Duration.ofMillis(millis),
        streams,
        loss,
        true,
        false);
  }

  private static List<String> lines(List<Advice> advice) {
    return advice.stream().flatMap(one -> one.lines().stream()).toList();
  }

  private static String text(List<Advice> advice) {
    return String.join("\n", advice.stream().map(Advice::text).toList());
  }

  /** 1 Gbit/s x 150 ms = 18.75 MB = 17.88 MiB; a stream has 3 MiB of a buffer of 4 MiB. */
  @Test
  void aStockSenderIsTooSmallForALongPath() {
    List<Advice> advice =
        of(Bottleneck.SEND_BUFFER, Hosts.stock(), Hosts.stock(), path(0, 0.19 * GBIT, 150, 1, 0));

    assertThat(advice).hasSize(2);
    assertThat(advice.get(0).side()).contains(Side.SENDER);
    assertThat(advice.get(0).text())
        .isEqualTo(
            "For 119 MiB/s (1.00 Gbit/s) at 150 ms, 17.9 MiB must be under way; the sender's system"
                + " lets one stream have 3.00 MiB (of the 4.00 MiB that net.ipv4.tcp_wmem"
                + " allows).");
    assertThat(advice.get(0).lines())
        .containsExactly("net.core.wmem_max = 33554432", "net.ipv4.tcp_wmem = 4096 16384 33554432");
    assertThat(advice.get(1).side()).isEmpty();
    assertThat(advice.get(1).text())
        .contains("TransferRequest.streams(6) carries 119 MiB/s (1.00 Gbit/s) at 150 ms");
  }

  /** A receive buffer holds as much of other things as of data. */
  @Test
  void aStockReceiverIsTooSmallForALongPath() {
    List<Advice> advice =
        of(Bottleneck.RECEIVE_WINDOW, null, Hosts.stock(), path(0, 0.19 * GBIT, 150, 4, 0));

    assertThat(advice.get(0).side()).contains(Side.RECEIVER);
    assertThat(lines(advice))
        .containsExactly(
            "net.core.rmem_max = 67108864", "net.ipv4.tcp_rmem = 4096 131072 67108864");
    assertThat(text(advice))
        .contains("3.00 MiB (of the 6.00 MiB that net.ipv4.tcp_rmem", "streams(6)");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // wanted, seen (Mbit/s), round trip (ms), streams | the new most | streams that do as well
        "    0 |   190 | 150 | 1  |   33554432 | 6",
        "    0 |   990 | 150 | 4  |  268435456 | 60",
        " 1000 |   190 |  20 | 1  |            | ",
        " 1000 |   190 |  26 | 1  |    8388608 | 2",
        "10000 |   190 | 150 | 8  |  268435456 | 60",
        "10000 |  1900 | 150 | 60 |  268435456 | ",
        "99000 |  1900 | 300 | 16 | 1073741824 | 128 streams, the most there are",
      })
  void buffersFollowTheProductOfRateAndRoundTrip(
      long wantedMbit, double seenMbit, int millis, int streams, String most, String atLeast) {
    List<Advice> advice =
        of(
            Bottleneck.SEND_BUFFER,
            Hosts.stock(),
            null,
            path(wantedMbit * 125_000, seenMbit * 125_000, millis, streams, 0));

    if (most == null) {
      assertThat(lines(advice)).isEmpty();
      assertThat(text(advice)).contains("enough").doesNotContain("socketBuffer");
    } else {
      assertThat(lines(advice)).contains("net.ipv4.tcp_wmem = 4096 16384 " + most);
      boolean few = atLeast != null && atLeast.length() < 4;
      assertThat(text(advice))
          .contains(few ? "streams(" + atLeast + ") " : atLeast == null ? "" : atLeast);
      assertThat(advice).hasSize(atLeast == null ? 1 : 2);
    }
  }

  /** 1 Gbit/s x 20 ms = 2.5 MB, of the 3 MiB that a stream has. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "false | the path carries no more, or the receiving program takes no more.",
        "true | leave out TransferRequest.socketBuffer, with which the system cannot adapt the"
            + " buffer."
      })
  void aSizeIsNamedOnlyWhereOneWasSet(boolean fixedBuffers, String advice) {
    PathFigures path =
        new PathFigures(
            OptionalLong.empty(), 2e6, Duration.ofMillis(20), 4, 0, false, fixedBuffers);

    assertThat(of(Bottleneck.RECEIVE_WINDOW, Hosts.stock(), Hosts.stock(), path))
        .singleElement()
        .satisfies(
            one ->
                assertThat(one.text())
                    .isEqualTo(
                        "The receiver's system lets one stream have 3.00 MiB (of the 6.00 MiB that"
                            + " net.ipv4.tcp_rmem allows), which is enough for 119 MiB/s (1.00"
                            + " Gbit/s) at 20 ms: "
                            + advice));
  }

  @Test
  void nothingIsEverLowered() {
    HostLimits large =
        Hosts.changed(
            Hosts.stock(),
            "net.core.wmem_max=2147483647",
            "net.ipv4.tcp_wmem=4096 65536 8388608",
            "net.core.rmem_max=100",
            "net.ipv4.tcp_rmem=4096 87380 536870912");
    PathFigures path = path(125_000_000, 1, 150, 1, 0);

    assertThat(lines(of(Bottleneck.SEND_BUFFER, large, large, path)))
        .containsExactly("net.ipv4.tcp_wmem = 4096 65536 33554432");
    assertThat(lines(of(Bottleneck.RECEIVE_WINDOW, large, large, path))).isEmpty();
    assertThat(lines(of(Bottleneck.NETWORK, large, large, path)))
        .containsExactly("net.ipv4.tcp_wmem = 4096 65536 33554432");
  }

  @Test
  void withoutScalingNoWindowIsLarge() {
    HostLimits unscaled = Hosts.changed(Hosts.stock(), "net.ipv4.tcp_window_scaling=0");

    assertThat(lines(of(Bottleneck.SEND_BUFFER, unscaled, null, path(0, 1e5, 20, 4, 0))))
        .containsExactly("net.ipv4.tcp_window_scaling = 1", "net.core.wmem_max = 4194304");
  }

  @Test
  void whatIsNotKnownIsSaid() {
    PathFigures path = path(0, 1e6, 150, 4, 0);
    assertThat(text(of(Bottleneck.SEND_BUFFER, null, Hosts.stock(), path)))
        .contains(
            "the sender's system allows is not known",
            "net.ipv4.tcp_wmem",
            "TransferRequest.streams");
    assertThat(text(of(Bottleneck.RECEIVE_WINDOW, Hosts.stock(), Hosts.with(), path)))
        .contains("the receiver's system allows is not known", "net.ipv4.tcp_rmem");
    assertThat(text(of(Bottleneck.SEND_BUFFER, Hosts.stock(), null, path(0, 1e6, 0, 4, 0))))
        .contains("not known");
  }

  @Test
  void lossWantsMoreStreamsAndBbr() {
    List<Advice> advice =
        of(Bottleneck.LOSS, Hosts.stock(), Hosts.stock(), path(0, 1e6, 150, 4, 0.0005));
    assertThat(text(advice))
        .contains("1 packet in 2,000", "TransferRequest.tuneStreams", "modprobe tcp_bbr");
    assertThat(lines(advice)).containsExactly("net.ipv4.tcp_congestion_control = bbr");

    HostLimits has =
        Hosts.changed(Hosts.stock(), "net.ipv4.tcp_available_congestion_control=reno cubic bbr");
    assertThat(text(of(Bottleneck.LOSS, has, null, path(0, 1e6, 150, 4, 0))))
        .doesNotContain("modprobe", "1 packet");
    HostLimits uses = Hosts.changed(has, "net.ipv4.tcp_congestion_control=bbr");
    assertThat(lines(of(Bottleneck.LOSS, uses, null, path(0, 1e6, 150, 4, 0)))).isEmpty();
    assertThat(of(Bottleneck.LOSS, null, null, path(0, 1e6, 150, 4, 0.001))).hasSize(1);
  }

  @Test
  void aLimitThatTheUserHasNotSetIsTheServers() {
    PathFigures path =
        new PathFigures(OptionalLong.empty(), 1e6, Duration.ZERO, 4, 0, false, false);
    assertThat(text(of(Bottleneck.RATE_LIMIT, null, null, path)))
        .isEqualTo("The server's limit holds it back: its administrator may raise it.");
  }

  @ParameterizedTest
  @CsvSource({
    "RATE_LIMIT, 'raise it, or leave it out'",
    "NAMES, larger files",
    "CPU, FdtClient.encryptData(true)",
    "SOURCE_DISK, TransferRequest.readersPerDisk(4)",
    "DESTINATION_DISK, TransferRequest.writersPerDisk(4)"
  })
  void whatIsNoHostsSettingHasNoLines(Bottleneck limit, String option) {
    List<Advice> advice = of(limit, Hosts.stock(), Hosts.stock(), path(0, 1e6, 150, 4, 0));
    assertThat(advice).singleElement().satisfies(one -> assertThat(one.side()).isEmpty());
    assertThat(text(advice)).contains(option);
    assertThat(lines(advice)).isEmpty();
  }

  /** Where windows do not limit yet, but would below the rate that is wanted. */
  @Test
  void aSlowNetworkIsAdvisedByWhatIsWanted() {
    HostLimits stock = Hosts.stock();
    assertThat(text(of(Bottleneck.NETWORK, stock, stock, path(0, 1e6, 150, 4, 0))))
        .contains("the path carries no more");
    assertThat(text(of(Bottleneck.NETWORK, stock, stock, path(1_000_000, 1e6, 150, 4, 0))))
        .contains("the path carries no more");
    assertThat(lines(of(Bottleneck.NETWORK, stock, stock, path(125_000_000, 1e6, 150, 4, 0))))
        .contains("net.ipv4.tcp_wmem = 4096 16384 33554432")
        .contains("net.ipv4.tcp_rmem = 4096 131072 67108864");
    assertThat(text(of(Bottleneck.NETWORK, stock, stock, path(125_000_000, 1e6, 150, 6, 0))))
        .contains("large enough for 119 MiB/s (1.00 Gbit/s) at 150 ms");
  }

  /** Whatever is known or not, there is something to say, in whole sentences. */
  @ParameterizedTest
  @EnumSource(Bottleneck.class)
  void thereIsAlwaysAnAnswer(Bottleneck limit) {
    Stream.of(
            path(0, 0, 0, 0, 0), path(1, 0, 1, 1, 1), path(Long.MAX_VALUE / 100, 1e12, 900, 128, 0))
        .forEach(
            path -> {
              for (HostLimits host : new HostLimits[] {null, Hosts.with(), Hosts.stock()}) {
                assertThat(of(limit, host, host, path))
                    .isNotEmpty()
                    .allSatisfy(one -> assertThat(one.text()).endsWith("."));
              }
            });
  }
}
