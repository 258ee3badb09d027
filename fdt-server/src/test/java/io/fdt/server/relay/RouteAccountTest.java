package io.fdt.server.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.fdt.core.transport.PathState;
import io.fdt.core.transport.RelayTarget.Direction;
import io.fdt.core.wire.control.RouteState;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What a route tells of its connections. */
class RouteAccountTest {
  private final RouteAccount account = new RouteAccount(Set.of(Direction.TO_TARGET), 0);

  private static PathState path(long micros, long segments, long repeated) {
    return new PathState(micros, micros, segments, repeated, 0, 0, 0, 0, 0, 0, 0);
  }

  @Test
  void nothingHasPassedAtFirst() {
    RouteState state = account.describe(5);

    assertThat(state.getConnections()).isZero();
    assertThat(state.getToTarget().getBytes()).isZero();
    assertThat(state.getToTarget().getHeld()).isZero();
    assertThat(state.getToClient().getRoundTripMicros()).isZero();
  }

  /** A control connection that waits for commands says nothing of how fast the way is. */
  @Test
  void connectionsCountByWhatTheyCarry() {
    RouteAccount.Connection control = account.opened(0, true);
    RouteAccount.Connection data = account.opened(100, true);
    data.passed(Direction.TO_TARGET, 1000);
    data.held(Direction.TO_TARGET, 90);
    data.seen(Direction.TO_TARGET, path(5000, 100, 3), "cubic", 0);
    data.seen(Direction.TO_TARGET, path(7000, 200, 4), "cubic", 0);
    control.seen(Direction.TO_TARGET, path(90_000, 7, 1), "cubic", 0);

    RouteState state = account.describe(200);

    assertThat(state.getConnections()).isEqualTo(2);
    assertThat(state.getToTarget().getBytes()).isEqualTo(1000);
    assertThat(state.getToTarget().getHeld()).isCloseTo(0.9, within(1e-9));
    assertThat(state.getToTarget().getRoundTripMicros()).isEqualTo(7000);
    assertThat(state.getToTarget().getSegments()).isEqualTo(207);
    assertThat(state.getToTarget().getSegmentsRepeated()).isEqualTo(5);
    assertThat(state.getToClient().getBytes()).isZero();
  }

  @Test
  void whatHasEndedStillCounts() {
    RouteAccount.Connection first = account.opened(0, true);
    first.passed(Direction.TO_CLIENT, 300);
    first.held(Direction.TO_CLIENT, 50);
    first.seen(Direction.TO_CLIENT, path(1000, 10, 0), "cubic", 0);
    first.ended(100);
    RouteAccount.Connection second = account.opened(100, true);
    second.passed(Direction.TO_CLIENT, 100);
    second.seen(Direction.TO_CLIENT, path(3000, 10, 1), "cubic", 0);

    RouteState state = account.describe(200);

    assertThat(account.bytes()).isEqualTo(400);
    assertThat(state.getConnections()).isEqualTo(1);
    assertThat(state.getToClient().getBytes()).isEqualTo(400);
    assertThat(state.getToClient().getHeld()).isCloseTo(0.375, within(1e-9));
    assertThat(state.getToClient().getRoundTripMicros()).isEqualTo(1500);
    assertThat(state.getToClient().getSegmentsRepeated()).isEqualTo(1);
    assertThat(account.describe(300).getToClient().getBytes()).isEqualTo(400);
  }

  @Test
  void whatWaitsIsThatOfAllOpenConnectionsAndTheMostIsRemembered() {
    RouteAccount.Connection one = account.opened(0, true);
    RouteAccount.Connection two = account.opened(0, true);
    long[] waiting = {0, 0};
    one.waitsIn(Direction.TO_TARGET, () -> waiting[0]);
    two.waitsIn(Direction.TO_TARGET, () -> waiting[1]);

    waiting[0] = 10;
    one.passed(Direction.TO_TARGET, 10);
    waiting[1] = 20;
    two.passed(Direction.TO_TARGET, 20);
    waiting[0] = 3;

    assertThat(account.describe(1).getToTarget().getWaiting()).isEqualTo(23);
    assertThat(account.describe(1).getToTarget().getMostWaiting()).isEqualTo(30);
    two.ended(2);
    assertThat(account.describe(3).getToTarget().getWaiting()).isEqualTo(3);
    assertThat(account.describe(3).getToTarget().getMostWaiting()).isEqualTo(30);
    assertThat(account.describe(3).getToClient().getMostWaiting()).isZero();
  }

  /** What control does says nothing of the data. */
  @Test
  void whereLossLimitsDataAnotherCongestionControlIsFound() {
    RouteAccount.Connection control = account.opened(0, false);
    RouteAccount.Connection data = account.opened(0, true);
    for (int second = 1; second <= 10; second++) {
      long now = TimeUnit.SECONDS.toNanos(second);
      PathState state =
          new PathState(9000, 9000, 1000L * second, 20L * second, 0, 0, 0, 0, 0, 0, 1L * second);
      control.seen(Direction.TO_TARGET, path(90_000, 7, 0), "cubic", now);
      data.held(Direction.TO_TARGET, TimeUnit.SECONDS.toNanos(1));
      data.seen(Direction.TO_TARGET, state, "cubic", now);
      data.seen(Direction.TO_CLIENT, state, "reno", now);
    }

    assertThat(account.congestion(Direction.TO_TARGET)).isEqualTo("bbr");
    RouteState told = account.describe(TimeUnit.SECONDS.toNanos(11));
    assertThat(told.getToTarget().getCongestion()).isEqualTo("cubic");
    assertThat(told.getToClient().getCongestion()).isEqualTo("reno");
  }
}
