package io.fdt.core.node;

import io.fdt.core.spec.TransferSpec;
import io.fdt.core.tuning.rate.RateSource;
import io.fdt.core.wire.control.OpenSession;
import java.time.Duration;

/** The request of a dialed session to its peer, and the work of this end. Immutable. */
public interface SessionPlan {
  /**
   * The plan refined for a path.
   *
   * @param roundTrip zero when unknown
   */
  SessionPlan over(Duration roundTrip);

  /** The request without the session's id and secret, and without encryption. */
  OpenSession open();

  TransferSpec spec();

  /** Whether the peer sends. */
  boolean isPull();

  /** The rate limit of this end, whatever the peer's is. */
  RateSource limit();

  /** The work of this end. Opens trees: called once, when the peer is reached. */
  SessionWork work();
}
