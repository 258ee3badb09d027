package io.fdt.core.node;

import io.fdt.core.spec.TransferSpec;
import io.fdt.core.tuning.RateSource;
import io.fdt.core.wire.control.OpenSession;
import java.time.Duration;

/** What a dialled session asks of its peer, and what this end does itself. Immutable. */
public interface SessionPlan {
  /**
   * The plan once the path is known.
   *
   * @param roundTrip zero where the system does not say
   */
  SessionPlan over(Duration roundTrip);

  /** The request to the peer, without the session's id and secret and without encryption. */
  OpenSession open();

  TransferSpec spec();

  /** Whether the peer sends. */
  boolean isPull();

  /** How fast this end may be, whatever the peer says. */
  RateSource limit();

  /** What this end does. Opens trees: called once, when the peer is reached. */
  SessionWork work();
}
