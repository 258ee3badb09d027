package io.fdt.udt.protocol;

/**
 * The figures of a sender's packets and path, for a {@link RateControl}. Times in microseconds.
 * Written by {@link SendSide} only.
 */
final class Progress {
  /** The current time at this end. */
  long nowMicros;

  /** Distinct packets sent. */
  long sent;

  /** Distinct packets that have arrived. */
  long delivered;

  /** The time of that report, by the peer's clock. */
  long deliveredMicros;

  /** Distinct packets received by the peer when its socket was last empty. */
  long arrived;

  /** The time of {@link #arrived}, by the peer's clock. */
  long arrivedMicros;

  /** Packets reported missing, including those retransmitted since. */
  long lost;

  /** Packets in flight, as far as known. */
  long inFlight;

  /** The smoothed round-trip time; 100 ms until measured. */
  long roundTripMicros = 100_000;

  /** The last measured round-trip time; 0 for none yet. */
  long lastRoundTripMicros;

  /** Whether there was too little to send since the last acknowledgement. */
  boolean idle;

  /** The longest delay of due packets at this end since the last acknowledgement. */
  long lateMicros;

  /** The delay of this acknowledgement at the peer, by its clock. */
  long peerLateMicros;
}
