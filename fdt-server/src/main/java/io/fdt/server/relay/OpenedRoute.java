package io.fdt.server.relay;

import com.google.protobuf.ByteString;
import io.fdt.core.model.Grant;
import io.fdt.core.model.Tuning;
import io.fdt.core.transport.RelayTarget;
import io.fdt.core.tuning.rate.SharedRate;
import io.fdt.core.wire.Join;
import io.fdt.core.wire.SessionId;
import io.fdt.core.wire.control.Route;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.BitSet;
import java.util.Optional;

/**
 * A route that a relay has opened for a client: the connections of one session. Guarded by the
 * {@link Relay}.
 */
final class OpenedRoute {
  /** A secret of the route, for one kind of connection; each number is valid once. */
  static final class Permission {
    final byte[] secret;
    final BitSet used = new BitSet();

    /**
     * @param random for its secret
     */
    Permission(SecureRandom random) {
      secret = Join.newSecret(random);
    }
  }

  /** The most connection numbers: each lost connection is replaced under a new number. */
  private static final int MOST_NUMBERS = 100_000;

  /**
   * The time for which bytes of a closed end are still forwarded when the client has reconnected;
   * the server makes the client wait up to 5 s for its old session.
   */
  private static final Duration DRAIN_BEFORE_NEXT = Duration.ofSeconds(3);

  final InetSocketAddress target;
  final RelayParts.Wanted wanted;
  final Permission control;
  final Permission data;
  final Grant grant;
  final InetAddress client;
  final RelayPace ofToken;
  final RelayPace ofServer = new RelayPace();
  final RouteAccount account;
  final long openedNanos;

  /** The share of the route of the server's rate; null without connections. */
  volatile SharedRate.Member share;

  long idleSinceNanos;

  /** Whether its token was revoked. */
  boolean isRevoked;

  OpenedRoute(
      InetSocketAddress target,
      RelayParts.Wanted wanted,
      Permission control,
      Permission data,
      Grant grant,
      InetAddress client,
      RelayPace ofToken,
      long now) {
    this.ofToken = ofToken;
    this.target = target;
    this.wanted = wanted;
    this.account = new RouteAccount(wanted.tuned(), now);
    this.control = control;
    this.data = data;
    this.grant = grant;
    this.client = client;
    this.openedNanos = now;
    this.idleSinceNanos = now;
  }

  /**
   * Describes the route to its client.
   *
   * @param id of the route at the relay
   */
  Route describe(SessionId id) {
    return Route.newBuilder()
        .setId(ByteString.copyFrom(id.bytes()))
        .setSecret(ByteString.copyFrom(control.secret))
        .setDataSecret(ByteString.copyFrom(data.secret))
        .setAddress(target.getAddress().getHostAddress().replaceFirst("%.*", ""))
        .build();
  }

  /**
   * The congestion control of its data connections, requested or tuned; empty for the system's
   * default.
   */
  String congestion(RelayTarget.Direction direction) {
    String asked = wanted.congestion(direction);
    return asked.equals(Tuning.AUTO) ? account.congestion(direction) : asked;
  }

  /** Whether another route has the same two ends. */
  boolean isOfSameEnds(OpenedRoute route) {
    return target.equals(route.target) && client.equals(route.client) && grant.equals(route.grant);
  }

  /** The permission that a connection proves; empty for an invalid or used proof. */
  Optional<Permission> shownBy(Join join) {
    Permission shown = join.isProvenBy(data.secret) ? data : control;
    return join.isProvenBy(shown.secret)
            && join.stream() < MOST_NUMBERS
            && !shown.used.get(join.stream())
        ? Optional.of(shown)
        : Optional.empty();
  }

  /**
   * Whether the client has opened another route to the same target, and waits for it.
   *
   * @param goneNanos since this route has lost a connection
   */
  boolean isReplacedBy(OpenedRoute other, long goneNanos, long nowNanos) {
    return other.isOfSameEnds(this)
        && other.openedNanos - (nowNanos - goneNanos) > 0
        && nowNanos - other.openedNanos > DRAIN_BEFORE_NEXT.toNanos();
  }
}
