package io.fdt.core.node;

import io.fdt.core.security.ClientTls;
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
 * @param receives whether this end receives
 */
record StreamTerms(
    SessionId id,
    byte[] secret,
    TransferSpec spec,
    Optional<ClientTls> tls,
    DialRule rule,
    Duration idleTimeout,
    boolean receives) {
  /** Those of a session that is dialled. */
  static StreamTerms of(Dialer dialer, SessionPlan plan, SessionId id, byte[] secret) {
    return new StreamTerms(
        id,
        secret,
        plan.spec(),
        dialer.dataTls(),
        dialer.rule(),
        dialer.idleTimeout(),
        plan.isPull());
  }
}
