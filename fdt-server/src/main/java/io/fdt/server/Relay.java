package io.fdt.server;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.node.DialRule;
import io.fdt.core.security.Grant;
import io.fdt.core.security.TokenBook;
import io.fdt.core.spec.SessionDeadlines;
import io.fdt.core.transport.Backlog;
import io.fdt.core.transport.ChannelDialer;
import io.fdt.core.transport.FanPlaces;
import io.fdt.core.transport.PathState;
import io.fdt.core.transport.RelayTarget;
import io.fdt.core.tuning.SharedRate;
import io.fdt.core.wire.Join;
import io.fdt.core.wire.SessionId;
import io.fdt.core.wire.control.DescribeRoute;
import io.fdt.core.wire.control.OpenRoute;
import io.fdt.core.wire.control.Route;
import io.fdt.core.wire.control.RouteState;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The routes that this server has opened for clients: each is the permission to have connections
 * passed on to one address. A route that nobody uses for ten minutes is forgotten. Thread-safe.
 */
final class Relay {
  /** Other relays that one server tells of. */
  static final int MOST_OFFERED = 16;

  /** A route without connections is kept for so long: a client comes back after a while. */
  static final Duration GOOD_FOR = Duration.ofMinutes(10);

  private static final Logger LOG = LoggerFactory.getLogger(Relay.class);

  /**
   * For so long bytes of an end that has gone still go to the other one: by then that has given up
   * its connection.
   */
  private static final Duration LONGEST_DRAIN = SessionDeadlines.DEFAULT.idleTimeout();

  /** When neither end has said anything for so long, both have given up their session. */
  private static final Duration LONGEST_SILENCE =
      SessionDeadlines.DEFAULT.stallTimeout().plusMinutes(1);

  /** Of all clients. */
  private static final int MOST_ROUTES = 1024;

  /** Of all routes; each has two sockets. */
  private static final int MOST_CONNECTIONS = 2048;

  private final boolean enabled;
  private final DialRule rule;
  private final ServerRates rates;
  private final RelayParts parts;
  private final LongSupplier clock;
  private final RelayNames names;
  private final Optional<PassingSpool> spool;
  private final SecureRandom random = new SecureRandom();
  private final Quota routeQuota = new Quota("routes", MOST_ROUTES);
  private final Quota connectionQuota = new Quota("relayed connections", MOST_CONNECTIONS);
  private final Map<SessionId, OpenedRoute> routes = new HashMap<>();
  private final Set<Passing> passing = new HashSet<>();
  private final LongAdder bytes = new LongAdder();

  /**
   * @param enabled whether it opens routes at all
   * @param rule to which addresses
   * @param rates what the server may move, for sessions and relayed connections together
   * @param parts how it can connect further
   * @param spool what it holds on a disk; empty for nothing
   * @param clock in nanoseconds, from an arbitrary origin
   */
  Relay(
      boolean enabled,
      DialRule rule,
      ServerRates rates,
      RelayParts parts,
      Optional<PassingSpool> spool,
      LongSupplier clock) {
    this(enabled, rule, rates, parts, spool, clock, InetAddress::getAllByName);
  }

  /** One with another DNS. */
  Relay(
      boolean enabled,
      DialRule rule,
      ServerRates rates,
      RelayParts parts,
      Optional<PassingSpool> spool,
      LongSupplier clock,
      RelayNames names) {
    this.enabled = enabled;
    this.rule = rule;
    this.rates = rates;
    this.parts = parts;
    this.spool = spool;
    this.clock = clock;
    this.names = names;
  }

  /** Bytes that were passed on since the start, in both directions. */
  long bytes() {
    return bytes.sum();
  }

  /** Whether this machine takes data over UDP, and connects so. */
  boolean hasDatagrams() {
    return parts.datagrams().isPresent();
  }

  /** Connections that are passed on now. */
  synchronized int connections() {
    return passing.size();
  }

  /**
   * Opens a route. May wait for the DNS.
   *
   * @param client who asks for it, with these rights
   * @throws FdtException FORBIDDEN; UNREACHABLE when the name is not known; BUSY; PROTOCOL
   */
  Route open(OpenRoute request, Grant grant, InetAddress client) throws FdtException {
    check(grant);
    InetSocketAddress target = names.target(request, rule.within(grant.relay().to()));
    RelayParts.Wanted wanted = parts.wanted(request);
    OpenedRoute.Permission control = new OpenedRoute.Permission(random);
    OpenedRoute.Permission data = new OpenedRoute.Permission(random);
    SessionId id = SessionId.random(random);
    OpenedRoute opened;
    synchronized (this) {
      forgetOld();
      opened =
          new OpenedRoute(
              target, wanted, control, data, grant, client, paceOf(grant), clock.getAsLong());
      routeQuota.take(opened, client, grant, 1);
      routes.put(id, opened);
    }
    LOG.info(
        "route opened id={} target={} {} token={}",
        id.shortName(),
        target,
        wanted.forLog(),
        grant.label());
    return opened.describe(id);
  }

  /**
   * Makes sure that a client may use it.
   *
   * @throws FdtException FORBIDDEN
   */
  void check(Grant grant) throws FdtException {
    if (!enabled) {
      throw new FdtException(
          ErrorCode.FORBIDDEN,
          "the server is not a relay; its administrator can start it with --relay");
    }
    if (grant.name().equals(FdtServer.ANONYMOUS) || !grant.relay().allowed()) {
      throw new FdtException(
          ErrorCode.FORBIDDEN,
          "a relay needs a token that allows relaying; ask its administrator for one");
    }
  }

  /** One for all routes of a token. */
  private RelayPace paceOf(Grant grant) {
    return routes.values().stream()
        .filter(route -> route.grant.equals(grant))
        .map(route -> route.ofToken)
        .findFirst()
        .orElseGet(RelayPace::new);
  }

  /**
   * How the connections of a route are doing.
   *
   * @throws FdtException NOT_FOUND when this token has no such route (any more)
   */
  synchronized RouteState describe(DescribeRoute request, Grant grant) throws FdtException {
    OpenedRoute route =
        request.getId().size() == SessionId.LENGTH
            ? routes.get(SessionId.of(request.getId().toByteArray()))
            : null;
    if (route == null || !route.grant.equals(grant)) {
      throw new FdtException(ErrorCode.NOT_FOUND, "the relay has no such route of this token");
    }
    return route.account.describe(clock.getAsLong());
  }

  /**
   * A connection joins a route.
   *
   * @param connections of the transport that it consists of
   * @return where to connect it to
   * @throws FdtException NOT_FOUND when there is no such route (any more); UNAUTHENTICATED; BUSY
   */
  synchronized RelayTarget connect(Join join, int connections) throws FdtException {
    forgetOld();
    OpenedRoute route = routes.get(join.session());
    if (route == null) {
      throw new FdtException(ErrorCode.NOT_FOUND, "no such route");
    }
    OpenedRoute.Permission shown =
        route
            .shownBy(join)
            .orElseThrow(
                () ->
                    new FdtException(ErrorCode.UNAUTHENTICATED, "no permission to use this route"));
    boolean isData = shown == route.data;
    FanPlaces.Place place = isData ? route.places.take() : OpenedRoute.CONTROL;
    Passing connection = new Passing(route, isData, place);
    try {
      int most = Math.max(connections, place.connections());
      connectionQuota.take(connection, route.client, route.grant, most);
    } catch (FdtException e) {
      connection.leavePlace();
      throw e;
    }
    shown.used.set(join.stream());
    if (route.account.connections() == 0) {
      route.share = rates.admit(route.grant, route.client);
    }
    connection.begins(connections);
    passing.add(connection);
    return connection;
  }

  /** Forgets the routes of tokens that are good for nothing any more, and ends what uses them. */
  void endRevoked(TokenBook tokens) {
    List<Passing> ended = new ArrayList<>();
    synchronized (this) {
      for (Iterator<OpenedRoute> all = routes.values().iterator(); all.hasNext(); ) {
        OpenedRoute route = all.next();
        if (!isGood(tokens, route.grant)) {
          all.remove();
          route.isRevoked = true;
          routeQuota.giveBack(route);
          passing.stream().filter(one -> one.route == route).forEach(ended::add);
        }
      }
    }
    ended.forEach(Passing::close);
  }

  private static boolean isGood(TokenBook tokens, Grant grant) {
    try {
      tokens.check(grant);
      return true;
    } catch (FdtException e) {
      return false;
    }
  }

  private final class Passing implements RelayTarget {
    private final OpenedRoute route;
    private final boolean isData;
    private final FanPlaces.Place place;
    private final Map<Direction, SpooledBacklog> backlogs = new EnumMap<>(Direction.class);
    private RouteAccount.Connection account;

    /** Null until it is known. Guarded by the relay. */
    private Runnable close;

    Passing(OpenedRoute route, boolean isData, FanPlaces.Place place) {
      this.place = place;
      this.route = route;
      this.isData = isData;
    }

    void begins(int connections) {
      account =
          isData
              ? route.account.opened(clock.getAsLong(), place.connections(), connections)
              : route.account.opened(clock.getAsLong(), 0, 0);
    }

    void leavePlace() {
      if (isData) {
        route.places.giveBack(place);
      }
    }

    @Override
    public int connections() {
      return place.connections();
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
      return route.wanted.overUdp() && isData ? parts.datagrams() : Optional.empty();
    }

    @Override
    public void closedBy(Runnable action) {
      boolean isTooLate;
      synchronized (Relay.this) {
        close = action;
        isTooLate = route.isRevoked;
      }
      if (isTooLate) {
        action.run();
      }
    }

    void close() {
      Runnable action;
      synchronized (Relay.this) {
        action = close;
      }
      if (action != null) {
        action.run();
      }
    }

    @Override
    public Optional<Backlog> backlog(
        Direction direction, EventLoop loop, ByteBufAllocator allocator, Backlog.Listener hears) {
      if (spool.isEmpty()) {
        return Optional.empty();
      }
      SpoolUse use = SpoolUse.of(route.grant, route.target, loop, allocator);
      SpooledBacklog backlog = spool.get().backlog(use, hears);
      synchronized (Relay.this) {
        backlogs.put(direction, backlog);
      }
      account.waitsIn(direction, backlog::bytes);
      return Optional.of(backlog);
    }

    @Override
    public boolean lingers(Direction direction, long goneNanos) {
      if (spool.isEmpty() || goneNanos > LONGEST_DRAIN.toNanos()) {
        return false;
      }
      long now = clock.getAsLong();
      synchronized (Relay.this) {
        return (waits(direction) || dataWaits(direction))
            && !route.isRevoked
            && routes.values().stream().noneMatch(one -> route.isReplacedBy(one, goneNanos, now));
      }
    }

    /**
     * Whether this is control, and data of its route is held: when control ends, a receiver drops
     * what comes on data connections.
     */
    private boolean dataWaits(Direction direction) {
      return !isData
          && passing.stream()
              .anyMatch(one -> one.isData && one.route == route && one.waits(direction));
    }

    private boolean waits(Direction direction) {
      SpooledBacklog backlog = backlogs.get(direction);
      return backlog != null && !backlog.isEmpty();
    }

    @Override
    public long longestSilenceNanos() {
      return LONGEST_SILENCE.toNanos();
    }

    @Override
    public void passed(Direction direction, int count) {
      bytes.add(count);
      account.passed(direction, count);
      long now = clock.getAsLong();
      route.ofToken.passed(count, route.grant.relay().bytesPerSecond(), now);
      SharedRate.Member share = route.share;
      if (share != null) {
        share.moved(now, route.account.bytes());
        route.ofServer.passed(count, share.bytesPerSecond(), now);
      }
    }

    @Override
    public void held(Direction direction, long nanos) {
      account.held(direction, nanos);
    }

    @Override
    public void seen(Direction direction, PathState state, String congestion) {
      account.seen(direction, state, congestion, clock.getAsLong());
    }

    @Override
    public long nanosToWait() {
      long now = clock.getAsLong();
      SharedRate.Member share = route.share;
      if (share != null) { // it may have changed since something was passed on
        route.ofServer.passed(0, share.bytesPerSecond(), now);
      }
      return Math.max(route.ofToken.nanosToWait(now), route.ofServer.nanosToWait(now));
    }

    @Override
    public void ended() {
      synchronized (Relay.this) {
        passing.remove(this);
        account.ended(clock.getAsLong());
        if (route.account.connections() == 0) {
          rates.leave(route.share);
          route.share = null;
        }
        route.idleSinceNanos = clock.getAsLong();
        connectionQuota.giveBack(this);
        leavePlace();
      }
    }
  }

  private void forgetOld() {
    long now = clock.getAsLong();
    for (Iterator<OpenedRoute> all = routes.values().iterator(); all.hasNext(); ) {
      OpenedRoute route = all.next();
      if (route.account.connections() == 0 && now - route.idleSinceNanos > GOOD_FOR.toNanos()) {
        all.remove();
        routeQuota.giveBack(route);
      }
    }
  }
}
