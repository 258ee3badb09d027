package io.fdt.server.relay;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.Setting;
import io.fdt.core.model.Tuning;
import io.fdt.core.node.Node;
import io.fdt.core.transport.ChannelDialer;
import io.fdt.core.transport.RelayTarget;
import io.fdt.core.transport.Transport;
import io.fdt.core.tuning.CongestionTuner;
import io.fdt.core.wire.control.OpenRoute;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The transports and congestion controls that a relay offers.
 *
 * @param datagrams dials the next machine over UDP; empty if unsupported
 * @param congestions whether its system has a congestion control
 * @param reach finds the first reachable address of several
 */
public record RelayParts(
    Optional<ChannelDialer> datagrams, Predicate<String> congestions, Reach reach) {
  /** Finds the first address of several that accepts connections. */
  @FunctionalInterface
  interface Reach {
    /**
     * The first address that accepts connections. Blocks.
     *
     * @throws FdtException none does
     */
    InetSocketAddress first(List<InetSocketAddress> addresses) throws FdtException;
  }

  /** TCP only, with the system's default congestion control. */
  public static final RelayParts PLAIN =
      new RelayParts(Optional.empty(), name -> false, addresses -> addresses.get(0));

  public static RelayParts of(Node node) {
    Transport transport = node.transport();
    return new RelayParts(transport.datagrams(), transport::hasCongestion, node::reach);
  }

  /**
   * The choice of one client.
   *
   * @param overUdp whether data uses UDP after the relay
   * @param congestion of data towards the target; empty for the system's default, {@link
   *     Tuning#AUTO} to tune it
   * @param congestionBack of data towards the client
   */
  record Wanted(boolean overUdp, String congestion, String congestionBack) {
    /** The choice as keys and values for the log. */
    String forLog() {
      return "udp=%s congestion=%s/%s".formatted(overUdp, congestion, congestionBack);
    }

    /** The directions with tuned congestion control. */
    Set<RelayTarget.Direction> tuned() {
      return Arrays.stream(RelayTarget.Direction.values())
          .filter(direction -> congestion(direction).equals(Tuning.AUTO))
          .collect(Collectors.toSet());
    }

    String congestion(RelayTarget.Direction direction) {
      return direction == RelayTarget.Direction.TO_TARGET ? congestion : congestionBack;
    }
  }

  /**
   * Reads a client's choice.
   *
   * @throws FdtException FORBIDDEN when the relay does not support it; PROTOCOL
   */
  Wanted wanted(OpenRoute request) throws FdtException {
    if (request.getDatagrams() && datagrams.isEmpty()) {
      throw new FdtException(
          ErrorCode.FORBIDDEN,
          "the relay uses no UDP: leave out "
              + Setting.DATA_TRANSPORT
              + ", or have its administrator start it without "
              + Setting.WITHOUT_UDP);
    }
    return new Wanted(
        request.getDatagrams(),
        congestion(request.getCongestion(), request.getTunesCongestion()),
        congestion(request.getCongestionBack(), request.getTunesCongestionBack()));
  }

  private String congestion(String name, boolean isTuned) throws FdtException {
    if (name.isEmpty()) {
      return isTuned && congestions.test(CongestionTuner.TRIED) ? Tuning.AUTO : "";
    }
    boolean isName;
    try {
      isName = !new Tuning(false, 0, false, name).triesCongestion();
    } catch (IllegalArgumentException e) {
      isName = false;
    }
    if (!isName) {
      throw new FdtException(ErrorCode.PROTOCOL, "a route with no name of a congestion control");
    }
    if (!congestions.test(name)) {
      throw new FdtException(
          ErrorCode.FORBIDDEN,
          "the relay's system does not have the congestion control "
              + name
              + ", or does not allow it: leave it out of "
              + Setting.CONGESTION
              + ", or see net.ipv4.tcp_allowed_congestion_control there");
    }
    return name;
  }
}
