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
  /** A secret of the route, for one kind of connection; each number is good once. */
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

  /** Numbers that may be used up: connections that die are replaced under new ones. */
  private static final int MOST_NUMBERS = 100_000;

  /**
   * For so long bytes of an end that has gone still go to the other one when the client has come
   * again: a server has it wait for 5 s for its old session.
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

  /** Its part of what the server may move; null without connections. */
  volatile SharedRate.Member share;

  long idleSinceNanos;

  /** Its token is good for nothing any more. */
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
   * Describes it to its client.
   *
   * @param id by which the relay knows it
   */
  Route describe(SessionId id) {
    return Route.newBuilder()
        .setId(ByteString.copyFrom(id.bytes()))
        .setSecret(ByteString.copyFrom(control.secret))
        .setDataSecret(ByteString.copyFrom(data.secret))
        .setAddress(target.getAddress().getHostAddress().replaceFirst("%.*", ""))
        .build();
  }

  /** That of its data: what was asked for, or what was found; empty for that of the system. */
  String congestion(RelayTarget.Direction direction) {
    String asked = wanted.congestion(direction);
    return asked.equals(Tuning.AUTO) ? account.congestion(direction) : asked;
  }

  /** Whether its connections are of the same two ends as those of another one. */
  boolean isOfSameEnds(OpenedRoute route) {
    return target.equals(route.target) && client.equals(route.client) && grant.equals(route.grant);
  }

  /** The permission that a connection proves; empty if it is invalid or used. */
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
   * @param goneNanos since this one has lost a connection
   */
  boolean isReplacedBy(OpenedRoute other, long goneNanos, long nowNanos) {
    return other.isOfSameEnds(this)
        && other.openedNanos - (nowNanos - goneNanos) > 0
        && nowNanos - other.openedNanos > DRAIN_BEFORE_NEXT.toNanos();
  }
}
