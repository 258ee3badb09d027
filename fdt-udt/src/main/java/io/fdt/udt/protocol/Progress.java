package io.fdt.udt.protocol;

/**
 * The figures of a sender's packets and path, for a {@link RateControl}. Times in microseconds.
 * Written by {@link SendSide} only.
 */
final class Progress {
  /** The time at this end. */
  long nowMicros;

  /** Packets that were sent once or more often. */
  long sent;

  /** Different packets that have arrived. */
  long delivered;

  /** When the peer said so, by its clock. */
  long deliveredMicros;

  /** Different packets that the peer had when it had last read all that was there. */
  long arrived;

  /** When that was, as in {@link #deliveredMicros}. */
  long arrivedMicros;

  /** Packets that were reported missing, also those that were repaired since. */
  long lost;

  /** Packets between here and there, as far as it is known. */
  long inFlight;

  /** Smoothed; 100 ms before it is known. */
  long roundTripMicros = 100_000;

  /** The last one that was measured; 0 for none yet. */
  long lastRoundTripMicros;

  /** Whether there was too little to send since the last acknowledgement. */
  boolean idle;

  /** How late this end was at most with packets that were due since the last acknowledgement. */
  long lateMicros;

  /** How late the peer was with this acknowledgement, by its clock. */
  long peerLateMicros;
}
