package io.fdt.core.tuning;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What is known of a path and of the transfer on it. Immutable.
 *
 * @param wanted bytes per second that it shall carry; empty when nobody said
 * @param seen bytes per second that it carried; 0 when nothing was sent
 * @param roundTrip without queues as far as possible; zero when it is not known
 * @param streams that carried it; 0 when nothing was sent
 * @param loss share of segments that were sent again, 0 to 1
 */
public record PathFigures(
    OptionalLong wanted, double seen, Duration roundTrip, int streams, double loss) {
  /** A mean over the start of a stream is below what it ends with. */
  private static final double NEARLY_FULL = 0.7;

  /** What to aim at: what is wanted, or more than what was seen; empty without a round trip. */
  public Optional<PathGoal> goal() {
    return roundTrip.isZero()
        ? Optional.empty()
        : Optional.of(new PathGoal(wanted.orElse(PathGoal.rateAbove(seen)), roundTrip));
  }

  /** Bytes of one stream that were under way. */
  double underWay() {
    return streams == 0 ? 0 : seen * PathGoal.seconds(roundTrip) / streams;
  }

  /**
   * What limits a path of whose sender nobody tells how its connections fare: a window that is
   * nearly full, as far as the settings of both hosts say how large it is. Otherwise the network.
   *
   * @param cpu share of all processors that either end uses, 0 to 1
   */
  public Bottleneck limit(double cpu, Optional<HostLimits> sender, Optional<HostLimits> receiver) {
    if (cpu > Bottleneck.BUSY) {
      return Bottleneck.CPU;
    }
    if (fills(Side.SENDER, sender)) {
      return Bottleneck.SEND_BUFFER;
    }
    return fills(Side.RECEIVER, receiver) ? Bottleneck.RECEIVE_WINDOW : Bottleneck.NETWORK;
  }

  private boolean fills(Side side, Optional<HostLimits> host) {
    OptionalLong window = host.isEmpty() ? OptionalLong.empty() : side.window(host.get());
    return window.isPresent() && underWay() > NEARLY_FULL * window.getAsLong();
  }
}
