package io.fdt.server.relay;

import io.fdt.core.spec.SessionDeadlines;
import io.fdt.core.transport.Backlog;
import io.fdt.core.transport.ChannelDialer;
import io.fdt.core.transport.PathState;
import io.fdt.core.transport.RelayTarget;
import io.fdt.core.tuning.rate.SharedRate;
import io.fdt.server.spool.SpooledBacklog;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/** A relayed connection of a route. Guarded by its relay, except for its route's account. */
final class RelayedConnection implements RelayTarget {
  /**
   * The time for which bytes of a closed end are still forwarded: after it, the other end has given
   * up its connection.
   */
  private static final Duration LONGEST_DRAIN = SessionDeadlines.DEFAULT.idleTimeout();

  /** The silence of both ends after which their session is over. */
  private static final Duration LONGEST_SILENCE =
      SessionDeadlines.DEFAULT.stallTimeout().plusMinutes(1);

  private final Relay relay;
  private final OpenedRoute route;
  private final boolean isData;
  private final Map<Direction, SpooledBacklog> backlogs = new EnumMap<>(Direction.class);
  private RouteAccount.Connection account;

  /** Closes the connection; null until known. Guarded by the relay. */
  private Runnable close;

  RelayedConnection(Relay relay, OpenedRoute route, boolean isData) {
    this.relay = relay;
    this.route = route;
    this.isData = isData;
  }

  boolean isOf(OpenedRoute some) {
    return route == some;
  }

  boolean isDataOf(OpenedRoute some) {
    return isData && route == some;
  }

  RouteAccount.Connection account() {
    return account;
  }

  void begins() {
    account = route.account.opened(relay.nanoTime(), isData);
  }

  @Override
  public String congestion(Direction direction) {
    return isData ? route.congestion(direction) : "";
  }

  @Override
  public InetSocketAddress address() {
    return route.target;
  }

  @Override
  public Optional<ChannelDialer> datagrams() {
    return route.wanted.overUdp() && isData ? relay.parts().datagrams() : Optional.empty();
  }

  @Override
  public void closedBy(Runnable action) {
    boolean isTooLate;
    synchronized (relay) {
      close = action;
      isTooLate = route.isRevoked;
    }
    if (isTooLate) {
      action.run();
    }
  }

  void close() {
    Runnable action;
    synchronized (relay) {
      action = close;
    }
    if (action != null) {
      action.run();
    }
  }

  @Override
  public Optional<Backlog> backlog(
      Direction direction, EventLoop loop, ByteBufAllocator allocator, Backlog.Listener hears) {
    if (relay.spool().isEmpty()) {
      return Optional.empty();
    }
    SpooledBacklog backlog = relay.spool().get().backlog(route.grant, loop, allocator, hears);
    synchronized (relay) {
      backlogs.put(direction, backlog);
    }
    account.waitsIn(direction, backlog::bytes);
    return Optional.of(backlog);
  }

  @Override
  public boolean lingers(Direction direction, long goneNanos) {
    if (relay.spool().isEmpty() || goneNanos > LONGEST_DRAIN.toNanos()) {
      return false;
    }
    synchronized (relay) {
      return (waits(direction) || dataWaits(direction)) && relay.mayLinger(route, goneNanos);
    }
  }

  /**
   * Whether this is a control connection while data of its route waits: when control ends, a
   * receiver drops data that arrives later.
   */
  private boolean dataWaits(Direction direction) {
    return !isData && relay.dataWaits(route, direction);
  }

  /** Whether bytes wait for the other end. Guarded by the relay. */
  boolean waits(Direction direction) {
    SpooledBacklog backlog = backlogs.get(direction);
    return backlog != null && !backlog.isEmpty();
  }

  @Override
  public long longestSilenceNanos() {
    return LONGEST_SILENCE.toNanos();
  }

  @Override
  public void passed(Direction direction, int count) {
    account.passed(direction, count);
    relay.passed(route, count);
  }

  @Override
  public void held(Direction direction, long nanos) {
    account.held(direction, nanos);
  }

  @Override
  public void seen(Direction direction, PathState state, String congestion) {
    account.seen(direction, state, congestion, relay.nanoTime());
  }

  @Override
  public long nanosToWait() {
    long now = relay.nanoTime();
    SharedRate.Member share = route.share;
    if (share != null) { // it may have changed since something was passed on
      route.ofServer.passed(0, share.bytesPerSecond(), now);
    }
    return Math.max(route.ofToken.nanosToWait(now), route.ofServer.nanosToWait(now));
  }

  @Override
  public void ended() {
    relay.ended(this, route);
  }
}
