package io.fdt.core.node;

import io.fdt.core.security.ClientTls;
import io.fdt.core.security.DialRule;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.wire.SessionId;
import java.time.Duration;
import java.util.Optional;

/**
 * What every stream of the session needs.
 *
 * @param tls within which streams are; empty for clear ones
 * @param rule to which addresses this end connects
 * @param idleTimeout how long there may be no stream at all
 * @param firstTimeout how long there may be none before the first one; of attempts that are under
 *     way then the end is waited for
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
  /** Where nobody answers over UDP; with the time that an attempt may take it is 2 s. */
  private static final Duration FIRST_OVER_UDP = Duration.ofSeconds(1);

  private static final int ROUND_TRIPS = 8;

  /** Those of a session that is dialled. */
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
