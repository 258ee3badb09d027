package io.fdt.udt.protocol;

/**
 * The packets that a flow has in flight beside others: after a loss that a full queue explains it
 * has half as many, and returns on the curve of CUBIC (RFC 9438), as the flows of TCP at the same
 * queue do. Without such losses there is none, and the model of the path decides; after one, as
 * soon as the curve has come back to where the loss was, and no queue is left.
 *
 * <p>A loss counts where the round trip has grown, by half or more of what it ever grew, and where
 * more gets lost than without a queue: losses at random are no reason. Hosts that are late with
 * packets lengthen round trips too, and so do not count as a queue. Pure; not thread-safe.
 */
final class Ceiling {
  /**
   * CUBIC keeps 0.7. A paced flow loses fewer packets in a full queue than the bursts of TCP do, so
   * it notices fewer of the losses at which TCP slows down, and has to give up more at each.
   */
  private static final double KEPT = 0.5;

  private static final double SCALE = 0.4;

  /** The growth of a Reno flow in a round trip that backs off as little (RFC 9438, 4.3). */
  private static final double FRIENDLY = 3 * (1 - KEPT) / (1 + KEPT);

  private static final double LEAST = 16;

  /** A queue is a round trip that is longer than the least one by this share of it, or by noise. */
  private static final double QUEUE_SHARE = 0.1;

  private static final long NOISE_MICROS = 2000;

  /** More than twice what gets lost anyway. */
  private static final double MORE = 2;

  /** Random loss varies between rounds: a few packets more are no reason. */
  private static final double DEVIATIONS = 3;

  /** A full queue drops more than one packet in a thousand. */
  private static final double LEAST_LOSS = 0.001;

  /**
   * A queue that drops packets is about as long as it was at most for two rounds: a single round
   * may be long because a host was late, by more than it knows.
   */
  private static final double FULL_SHARE = 0.5;

  private static final double WEIGHT = 1.0 / 8;

  /**
   * The least round trip is that of one to two minutes: the others' queue does not go away while
   * this flow looks for it.
   */
  private static final long LEAST_VALID_MICROS = 60_000_000;

  /** For so long after a loss in a full queue others may be there, though no queue is. */
  private static final long OTHERS_MICROS = 10_000_000;

  /** Rounds without a queue after which the path counts as unshared. */
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
  private double flightBefore;
  private long ignoredBelow;
  private long lost;
  private long leastTrip = Long.MAX_VALUE;
  private long leastBefore = Long.MAX_VALUE;
  private long longestQueue;
  private long longestQueueBefore;
  private long leastSinceMicros;
  private long queueBefore;
  private long lastingQueue;
  private long lastingQueueBefore;
  private int roundsAlone;

  /** An acknowledgement has come. */
  void acknowledged(Progress progress) {
    long trip = progress.lastRoundTripMicros;
    if (trip > 0) {
      if (progress.nowMicros - leastSinceMicros > LEAST_VALID_MICROS) {
        leastSinceMicros = progress.nowMicros;
        leastBefore = leastTrip;
        longestQueueBefore = longestQueue;
        longestQueue = 0;
        lastingQueueBefore = lastingQueue;
        lastingQueue = 0;
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
   * Packets from this one on are missing. Losses of packets sent before the last cut say nothing
   * new.
   */
  void lost(long first, long count) {
    if (first >= ignoredBelow) {
      lost += count;
    }
  }

  /** Losses of packets below this one do not count: they were sent before the path was known. */
  void ignoreLossesBelow(long index) {
    ignoredBelow = index;
  }

  /**
   * A round has ended.
   *
   * @param rate packets per microsecond that arrive
   * @param delivered packets in it
   * @param reacts whether a loss counts now
   */
  void endRound(Progress progress, double rate, long delivered, boolean reacts) {
    long empty = Math.min(leastTrip, leastBefore);
    long queue = Math.max(longestTrip, longestBefore) - lateMicros() - empty;
    longestQueue = Math.max(longestQueue, queue);
    long queueNow = longestTrip - late - empty;
    lastingQueue = Math.max(lastingQueue, Math.min(queueNow, queueBefore));
    queueBefore = queueNow;
    boolean queued = queue > Math.max(NOISE_MICROS, QUEUE_SHARE * empty);
    boolean full = queue >= FULL_SHARE * Math.max(lastingQueue, lastingQueueBefore);
    long all = delivered + lost;
    roundsAlone = queued ? 0 : roundsAlone + 1;
    if (!queued && all > 0) {
      usualLoss += (lost / (double) all - usualLoss) * Math.min(1, all / 100.0) * WEIGHT;
    }
    double usual = usualLoss * all;
    double least = Math.max(LEAST_LOSS * all, MORE * usual + DEVIATIONS * Math.sqrt(usual));
    if (queued && full && reacts && lost > least) {
      cut(progress, rate);
    } else if (roundsAlone >= ROUNDS_ALONE && packets >= most) {
      packets = Double.POSITIVE_INFINITY;
    }
    lost = 0;
    longestBefore = longestTrip;
    longestTrip = 0;
    lateBefore = late;
    late = 0;
    flightBefore = flight;
    flight = 0;
  }

  /** Gives up half of what is in the path; what has arrived and was not acknowledged is not. */
  private void cut(Progress progress, double rate) {
    double now = Math.min(packets, Math.max(flight, flightBefore));
    double arrived = Math.min(now, rate * UdtConnection.SYN_MICROS);
    packets = Math.max(LEAST, arrived + KEPT * (now - arrived));
    friendly = packets;
    most = now < most ? now * (1 + KEPT) / 2 : now; // another flow grows: it gets more room
    curveSeconds = Math.cbrt(Math.max(0, most - packets) / SCALE);
    cutMicros = progress.nowMicros;
    ignoredBelow = progress.sent;
  }

  /** For how long the hosts stood still at most, in this round and the one before. */
  long lateMicros() {
    return Math.max(late, lateBefore);
  }

  /** The longest queue of the last minute or two, beyond what late hosts explain. */
  long longestQueueMicros() {
    return Math.max(longestQueue, longestQueueBefore);
  }

  /** Whether a full queue has dropped packets lately: what is sent ahead would be dropped too. */
  boolean wasCutLately(long now) {
    return cutMicros > 0 && now - cutMicros < OTHERS_MICROS;
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
