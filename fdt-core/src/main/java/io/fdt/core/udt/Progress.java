package io.fdt.core.udt;

/**
 * The figures of a sender's packets and path, for a {@link RateControl}. Times in microseconds.
 * Written by {@link SendSide} only.
 */
final class Progress {
  /** The time at this end. */
  long nowMicros;

  /** All packets below it have arrived. */
  long acknowledged;

  /** Packets that were sent once or more often. */
  long sent;

  /** Different packets that have arrived; where the peer does not say, those acknowledged. */
  long delivered;

  /** When the peer said so, by its clock; by this end's clock where it cannot be known. */
  long deliveredMicros;

  /** Different packets that the peer had when it had last read all that was there. */
  long arrived;

  /** When that was, as in {@link #deliveredMicros}. */
  long arrivedMicros;

  /** Whether the four before are the peer's own. */
  boolean exact;

  /** Packets that were reported missing, also those that were repaired since. */
  long lost;

  /** Packets between here and there, as far as it is known. */
  long inFlight;

  /** Smoothed; 100 ms before it is known. */
  long roundTripMicros = 100_000;

  /** The last one that was measured; 0 for none yet. */
  long lastRoundTripMicros;

  /** Packets per second that arrived, as the peer sees it; 0 unknown. */
  long arrivalRate;

  /** Packets per second that the narrowest link carries, as the peer estimates; 0 unknown. */
  long linkRate;

  /** Whether there was too little to send since the last acknowledgement. */
  boolean idle;

  /** How late this end was at most with packets that were due since the last acknowledgement. */
  long lateMicros;

  /** How late the peer was with this acknowledgement, by its clock; 0 where it does not say. */
  long peerLateMicros;

  /** Payload bytes of a full packet. */
  int payload;
}
