package io.fdt.core.udt;

/**
 * The packets that a flow has in flight beside others: after a loss that a full queue explains it
 * has three tenths less, and returns on the curve of CUBIC (RFC 9438), as the flows of TCP at the
 * same queue do. Without such losses there is none, and the model of the path decides; after one,
 * as soon as the curve has come back to where the loss was, and no queue is left.
 *
 * <p>A loss counts where the round trip has grown, and where more gets lost than without a queue:
 * losses at random are no reason. Hosts that are late with packets lengthen round trips too, and so
 * do not count as a queue. Pure; not thread-safe.
 */
final class Ceiling {
  private static final double KEPT = 0.7;
  private static final double SCALE = 0.4;

  /** What a flow of Reno grows by in a round trip that gives up as little (RFC 9438, 4.3). */
  private static final double FRIENDLY = 3 * (1 - KEPT) / (1 + KEPT);

  private static final double LEAST = 16;

  /** A round trip this much longer than the least one, besides noise, tells of a queue. */
  private static final double QUEUE_GROWN = 1.1;

  private static final long NOISE_MICROS = 2000;

  /** More than twice what gets lost anyway. */
  private static final double MORE = 2;

  /** What gets lost at random is not the same in each round: a few packets more are no reason. */
  private static final double DEVIATIONS = 3;

  /** A full queue drops more than one packet in a thousand. */
  private static final double LEAST_LOSS = 0.001;

  private static final double WEIGHT = 1.0 / 8;

  /**
   * The least round trip is that of one to two minutes: the others' queue does not go away while
   * this flow looks for it.
   */
  private static final long LEAST_VALID_MICROS = 60_000_000;

  /** Rounds without a queue after which nobody else is there. */
  private static final int ROUNDS_ALONE = 10;

  private double packets = Double.POSITIVE_INFINITY;
  private double most;
  private double curveSeconds;
  private double friendly;
  private long deliveredBefore;
  private long cutMicros;
  private double usualLoss;
  private long longestTrip;
  private long longestBefore;
  private long late;
  private long lateBefore;
  private double flight;
  private long leastTrip = Long.MAX_VALUE;
  private long leastBefore = Long.MAX_VALUE;
  private long leastSinceMicros;
  private int roundsAlone;

  /** An acknowledgement has come. */
  void acknowledged(Progress progress) {
    long trip = progress.lastRoundTripMicros;
    if (trip > 0) {
      if (progress.nowMicros - leastSinceMicros > LEAST_VALID_MICROS) {
        leastSinceMicros = progress.nowMicros;
        leastBefore = leastTrip;
        leastTrip = trip;
      }
      leastTrip = Math.min(leastTrip, trip);
      longestTrip = Math.max(longestTrip, trip);
    }
    flight = Math.max(flight, progress.inFlight);
    late = Math.max(late, progress.lateMicros + progress.peerLateMicros);
    if (isThere()) {
      double seconds = (progress.nowMicros - cutMicros) / 1e6 - curveSeconds;
      friendly += FRIENDLY * (progress.delivered - deliveredBefore) / packets;
      packets = Math.max(packets, Math.max(friendly, SCALE * seconds * seconds * seconds + most));
    }
    deliveredBefore = progress.delivered;
  }

  /**
   * A round has ended.
   *
   * @param delivered packets in it
   * @param lost packets in it
   * @param reacts whether a loss counts now
   */
  void endRound(Progress progress, long delivered, long lost, boolean reacts) {
    double without =
        QUEUE_GROWN * Math.min(leastTrip, leastBefore) + NOISE_MICROS + Math.max(late, lateBefore);
    boolean queued = Math.max(longestTrip, longestBefore) > without;
    long all = delivered + lost;
    roundsAlone = queued ? 0 : roundsAlone + 1;
    if (!queued && all > 0) {
      usualLoss += (lost / (double) all - usualLoss) * Math.min(1, all / 100.0) * WEIGHT;
    }
    boolean again = progress.nowMicros - cutMicros > 2 * progress.roundTripMicros;
    double usual = usualLoss * all;
    double least = Math.max(LEAST_LOSS * all, MORE * usual + DEVIATIONS * Math.sqrt(usual));
    if (queued && reacts && again && lost > least) {
      double now = Math.min(packets, flight);
      packets = Math.max(LEAST, KEPT * now);
      friendly = packets;
      most = now < most ? now * (1 + KEPT) / 2 : now; // another flow grows: it gets more room
      curveSeconds = Math.cbrt(Math.max(0, most - packets) / SCALE);
      cutMicros = progress.nowMicros;
    } else if (roundsAlone >= ROUNDS_ALONE && packets >= most) {
      packets = Double.POSITIVE_INFINITY;
    }
    longestBefore = longestTrip;
    longestTrip = 0;
    lateBefore = late;
    late = 0;
    flight = 0;
  }

  /** Whether it decides. */
  boolean isThere() {
    return packets < Double.POSITIVE_INFINITY;
  }

  /** Packets in flight, 16 or more; infinite where it does not decide. */
  double packets() {
    return packets;
  }
}
