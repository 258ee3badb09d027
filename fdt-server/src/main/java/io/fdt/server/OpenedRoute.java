package io.fdt.server;

import io.fdt.core.security.Grant;
import io.fdt.core.tuning.SharedRate;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.BitSet;

/**
 * A route that a relay has opened for a client: the connections of one session. Guarded by the
 * {@link Relay}.
 */
final class OpenedRoute {
  /** What a connection proves, and so what it carries; each number is good once. */
  static final class Permission {
    final byte[] secret;
    final BitSet used = new BitSet();

    Permission(byte[] secret) {
      this.secret = secret;
    }
  }

  final InetSocketAddress target;
  final boolean overUdp;
  final Permission control;
  final Permission data;
  final Grant grant;
  final InetAddress client;
  final RelayPace ofToken;
  final RelayPace ofServer = new RelayPace();
  final RouteAccount account = new RouteAccount();
  final long openedNanos;

  /** Its part of what the server may move; null without connections. */
  volatile SharedRate.Member share;

  long idleSinceNanos;

  /** Its token is good for nothing any more. */
  boolean isRevoked;

  OpenedRoute(
      InetSocketAddress target,
      boolean overUdp,
      Permission control,
      Permission data,
      Grant grant,
      InetAddress client,
      RelayPace ofToken,
      long now) {
    this.ofToken = ofToken;
    this.target = target;
    this.overUdp = overUdp;
    this.control = control;
    this.data = data;
    this.grant = grant;
    this.client = client;
    this.openedNanos = now;
    this.idleSinceNanos = now;
  }

  /** Whether its connections are of the same two ends as those of another one. */
  boolean isOfSameEnds(OpenedRoute route) {
    return target.equals(route.target) && client.equals(route.client) && grant.equals(route.grant);
  }
}
