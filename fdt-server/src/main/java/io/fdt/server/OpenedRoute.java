package io.fdt.server;

import io.fdt.core.security.Grant;
import io.fdt.core.tuning.SharedRate;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.BitSet;
import java.util.concurrent.TimeUnit;

/** A route that a relay has opened for a client. Guarded by the {@link Relay}. */
final class OpenedRoute {
  private static final long TOGETHER_NANOS = TimeUnit.SECONDS.toNanos(10);

  final InetSocketAddress target;
  final boolean overUdp;
  final byte[] secret;
  final Grant grant;
  final InetAddress client;
  final RelayPace ofToken;
  final RelayPace ofServer = new RelayPace();
  final RouteAccount account = new RouteAccount();
  final BitSet used = new BitSet();
  final long openedNanos;

  /** Its part of what the server may move; null without connections. */
  volatile SharedRate.Member share;

  long idleSinceNanos;

  /** Its token is good for nothing any more. */
  boolean isRevoked;

  OpenedRoute(
      InetSocketAddress target,
      boolean overUdp,
      byte[] secret,
      Grant grant,
      InetAddress client,
      RelayPace ofToken,
      long now) {
    this.ofToken = ofToken;
    this.target = target;
    this.overUdp = overUdp;
    this.secret = secret;
    this.grant = grant;
    this.client = client;
    this.openedNanos = now;
    this.idleSinceNanos = now;
  }

  /** Whether its connections are of the same two ends as those of another one. */
  boolean isOfSameEnds(OpenedRoute route) {
    return target.equals(route.target) && client.equals(route.client) && grant.equals(route.grant);
  }

  /**
   * Whether it is that of the same session, as far as a relay can tell: data over UDP has a route
   * of its own, which the client opens together with that of control.
   */
  boolean isOfSameSession(OpenedRoute route) {
    return this == route
        || (isOfSameEnds(route) && Math.abs(openedNanos - route.openedNanos) < TOGETHER_NANOS);
  }
}
