package io.fdt.core.node;

import io.fdt.core.security.ClientTls;
import io.fdt.core.security.DialRule;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.wire.SessionId;
import java.time.Duration;
import java.util.Optional;

/**
 * The common settings of a session's streams.
 *
 * @param tls of the streams; empty for clear ones
 * @param rule allowed addresses
 * @param idleTimeout longest time without any stream
 * @param firstTimeout longest time before the first one; attempts in progress may still finish
 * @param receives whether this end receives
 */
record StreamTerms(
    SessionId id,
    byte[] secret,
    TransferSpec spec,
    Optional<ClientTls> tls,
    DialRule rule,
    Duration idleTimeout,
    Duration firstTimeout,
    boolean receives) {
  /**
   * The first timeout over UDP, short for paths that block UDP; with the time of an attempt it is 2
   * s.
   */
  private static final Duration FIRST_OVER_UDP = Duration.ofSeconds(1);

  private static final int ROUND_TRIPS = 8;

  /** The settings of a dialed session. */
  static StreamTerms of(
      Dialer dialer, Duration roundTrip, SessionPlan plan, SessionId id, byte[] secret) {
    boolean overUdp = dialer.node().usesDatagrams();
    return new StreamTerms(
        id,
        secret,
        plan.spec(),
        dialer.dataTls(),
        dialer.rule(),
        dialer.idleTimeout(),
        overUdp ? FIRST_OVER_UDP.plus(roundTrip.multipliedBy(ROUND_TRIPS)) : dialer.idleTimeout(),
        plan.isPull());
  }
}
