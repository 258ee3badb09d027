package io.fdt.core.tuning;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The figures of a path and of the transfer on it. Immutable.
 *
 * @param wanted desired bytes per second; empty without a goal
 * @param seen measured bytes per second; 0 when nothing was sent
 * @param roundTrip without queues as far as possible; zero when unknown
 * @param streams used; 0 when nothing was sent
 * @param loss share of retransmitted segments, 0 to 1
 */
public record PathFigures(
    OptionalLong wanted, double seen, Duration roundTrip, int streams, double loss) {
  /** The goal: the wanted rate, or more than the measured one; empty without a round trip. */
  public Optional<PathGoal> goal() {
    return roundTrip.isZero()
        ? Optional.empty()
        : Optional.of(new PathGoal(wanted.orElse(PathGoal.rateAbove(seen)), roundTrip));
  }
}
