package io.fdt.server.relay;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.error.Setting;
import io.fdt.core.model.Grant;
import io.fdt.core.security.AddressRange;
import io.fdt.core.security.DialRule;
import io.fdt.core.security.TokenBook;
import io.fdt.core.transport.RelayTarget;
import io.fdt.core.tuning.rate.SharedRate;
import io.fdt.core.wire.Join;
import io.fdt.core.wire.SessionId;
import io.fdt.core.wire.control.DescribeRoute;
import io.fdt.core.wire.control.OpenRoute;
import io.fdt.core.wire.control.Route;
import io.fdt.core.wire.control.RouteState;
import io.fdt.server.limits.Owner;
import io.fdt.server.limits.Quota;
import io.fdt.server.limits.ServerRates;
import io.fdt.server.spool.PassingSpool;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
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
 * The routes that this server has opened for clients: each is a permission to relay connections to
 * one address. Routes unused for ten minutes are removed. Thread-safe.
 */
public final class Relay {
  /** Most relays that one server offers. */
  public static final int MOST_OFFERED = 16;

  /** The time for which a route without connections is kept: a client may reconnect. */
  static final Duration GOOD_FOR = Duration.ofMinutes(10);

  private static final Logger LOG = LoggerFactory.getLogger(Relay.class);

  /** The most routes of all clients. */
  private static final int MOST_ROUTES = 1024;

  /** The most connections of all routes; each has two sockets. */
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
  private final Set<RelayedConnection> passing = new HashSet<>();
  private final LongAdder bytes = new LongAdder();

  /**
   * @param enabled whether it opens routes at all
   * @param rule allowed addresses
   * @param rates of the server, for sessions and relayed connections together
   * @param parts dials the next machine
   * @param spool for waiting bytes on a disk; empty for none
   * @param clock in nanoseconds, from an arbitrary origin
   */
  public Relay(
      boolean enabled,
      DialRule rule,
      ServerRates rates,
      RelayParts parts,
      Optional<PassingSpool> spool,
      LongSupplier clock) {
    this(enabled, rule, rates, parts, spool, clock, InetAddress::getAllByName);
  }

  /** A relay with another name service. */
  public Relay(
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

  /** Bytes forwarded since the start, in both directions. */
  public long bytes() {
    return bytes.sum();
  }

  /** Whether this machine accepts and dials data connections over UDP. */
  public boolean hasDatagrams() {
    return parts.datagrams().isPresent();
  }

  /** The number of relayed connections now. */
  public synchronized int connections() {
    return passing.size();
  }

  /**
   * Opens a route to the first address of a host that answers. May wait for DNS, and for
   * connections.
   *
   * @param client address of the client
   * @throws FdtException FORBIDDEN; UNREACHABLE when the name is unknown, or none of its addresses
   *     answers; BUSY; PROTOCOL
   */
  public Route open(OpenRoute request, Grant grant, InetAddress client) throws FdtException {
    check(grant);
    RelayParts.Wanted wanted = parts.wanted(request);
    InetSocketAddress target = target(request, grant);
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
   * The target of a route. A single address is not tried: the connections of the route show whether
   * it answers.
   */
  private InetSocketAddress target(OpenRoute request, Grant grant) throws FdtException {
    List<InetSocketAddress> allowed =
        names.targets(request, rule.within(AddressRange.parse(grant.relay().to())));
    try {
      return allowed.size() == 1 ? allowed.get(0) : parts.reach().first(allowed);
    } catch (FdtException e) {
      throw new FdtException(
          e.code(),
          "the relay cannot connect to '%s' at any of its %d addresses: is the server running there?"
              .formatted(request.getHost(), allowed.size()),
          e);
    }
  }

  /**
   * Checks that a client may use the relay.
   *
   * @throws FdtException FORBIDDEN
   */
  public void check(Grant grant) throws FdtException {
    if (!enabled) {
      throw new FdtException(
          ErrorCode.FORBIDDEN,
          "the server is not a relay; its administrator can start it with " + Setting.RELAY);
    }
    if (Owner.isAnonymous(grant) || !grant.relay().allowed()) {
      throw new FdtException(
          ErrorCode.FORBIDDEN,
          "a relay needs a token that allows relaying; ask its administrator for one");
    }
  }

  /** The rate limiter of all routes of a token. */
  private RelayPace paceOf(Grant grant) {
    return routes.values().stream()
        .filter(route -> route.grant.equals(grant))
        .map(route -> route.ofToken)
        .findFirst()
        .orElseGet(RelayPace::new);
  }

  /**
   * The state of the connections of a route.
   *
   * @throws FdtException NOT_FOUND when this token has no such route
   */
  public synchronized RouteState describe(DescribeRoute request, Grant grant) throws FdtException {
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
   * Adds a connection to a route.
   *
   * @return its target
   * @throws FdtException NOT_FOUND for an unknown route; UNAUTHENTICATED; BUSY
   */
  public synchronized RelayTarget connect(Join join) throws FdtException {
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
    RelayedConnection connection = new RelayedConnection(this, route, shown == route.data);
    connectionQuota.take(connection, route.client, route.grant, 1);
    shown.used.set(join.stream());
    if (route.account.connections() == 0) {
      route.share = rates.admit(route.grant, route.client);
    }
    connection.begins();
    passing.add(connection);
    return connection;
  }

  /** Removes the routes of revoked tokens, and ends their connections. */
  public void endRevoked(TokenBook tokens) {
    List<RelayedConnection> ended = new ArrayList<>();
    synchronized (this) {
      for (Iterator<OpenedRoute> all = routes.values().iterator(); all.hasNext(); ) {
        OpenedRoute route = all.next();
        if (!isGood(tokens, route.grant)) {
          all.remove();
          route.isRevoked = true;
          routeQuota.giveBack(route);
          passing.stream().filter(one -> one.isOf(route)).forEach(ended::add);
        }
      }
    }
    ended.forEach(RelayedConnection::close);
  }

  private static boolean isGood(TokenBook tokens, Grant grant) {
    try {
      tokens.check(grant);
      return true;
    } catch (FdtException e) {
      return false;
    }
  }

  /** The dialers of the next machine. */
  RelayParts parts() {
    return parts;
  }

  /** The spool for bytes that do not fit in memory; empty for none. */
  Optional<PassingSpool> spool() {
    return spool;
  }

  long nanoTime() {
    return clock.getAsLong();
  }

  /** Counts bytes forwarded by a route. */
  void passed(OpenedRoute route, int count) {
    bytes.add(count);
    long now = clock.getAsLong();
    route.ofToken.passed(count, route.grant.relay().bytesPerSecond(), now);
    SharedRate.Member share = route.share;
    if (share != null) {
      share.moved(now, route.account.bytes());
      route.ofServer.passed(count, share.bytesPerSecond(), now);
    }
  }

  /** Whether bytes of data connections of a route wait. */
  synchronized boolean dataWaits(OpenedRoute route, RelayTarget.Direction direction) {
    return passing.stream().anyMatch(one -> one.isDataOf(route) && one.waits(direction));
  }

  /** Whether a connection that has lost an end may still deliver waiting bytes. */
  synchronized boolean mayLinger(OpenedRoute route, long goneNanos) {
    long now = clock.getAsLong();
    return !route.isRevoked
        && routes.values().stream().noneMatch(one -> route.isReplacedBy(one, goneNanos, now));
  }

  /** Removes an ended connection. */
  synchronized void ended(RelayedConnection connection, OpenedRoute route) {
    passing.remove(connection);
    connection.account().ended(clock.getAsLong());
    if (route.account.connections() == 0) {
      rates.leave(route.share);
      route.share = null;
    }
    route.idleSinceNanos = clock.getAsLong();
    connectionQuota.giveBack(connection);
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
