package io.fdt.core.tuning;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The figures of a path and of the transfer on it. Immutable.
 *
 * @param wanted desired bytes per second; empty without a goal
 * @param seen measured bytes per second; 0 when nothing was sent
 * @param roundTrip zero when unknown
 * @param streams used; 0 when nothing was sent
 * @param loss share of retransmitted segments, 0 to 1
 * @param ownLimit whether the user has set a rate limit
 * @param fixedBuffers whether the user has set the size of the sockets' buffers
 */
public record PathFigures(
    OptionalLong wanted,
    double seen,
    Duration roundTrip,
    int streams,
    double loss,
    boolean ownLimit,
    boolean fixedBuffers) {
  /** The goal: the wanted rate, or more than the measured one; empty without a round trip. */
  public Optional<PathGoal> goal() {
    return roundTrip.isZero()
        ? Optional.empty()
        : Optional.of(new PathGoal(wanted.orElse(PathGoal.rateAbove(seen)), roundTrip));
  }
}
