package io.fdt.udt.protocol;

/**
 * The limit of packets in flight beside competing flows: a loss in a full queue halves it, and it
 * returns on the curve of CUBIC (RFC 9438), like TCP flows in the same queue. Without such losses
 * there is no limit, and the model of the path decides; the limit ends when the curve has returned
 * to the point of the loss and no queue is left.
 *
 * <p>A loss counts if the round-trip time has grown by at least half of its maximal growth, and the
 * loss rate is higher than without a queue; random losses do not count. Delays of the hosts, which
 * also lengthen round trips, do not count as a queue. Pure; not thread-safe.
 */
final class Ceiling {
  /**
   * The factor after a loss; CUBIC has 0.7. A paced flow loses fewer packets in a full queue than
   * the bursts of TCP, so it sees fewer of the losses at which TCP slows down, and must back off
   * more at each.
   */
  private static final double KEPT = 0.5;

  private static final double SCALE = 0.4;

  /** The growth per round trip of a Reno flow with this factor (RFC 9438, 4.3). */
  private static final double FRIENDLY = 3 * (1 - KEPT) / (1 + KEPT);

  private static final double LEAST = 16;

  /** The share by which a round trip must exceed the minimum to count as a queue, besides noise. */
  private static final double QUEUE_SHARE = 0.1;

  private static final long NOISE_MICROS = 2000;

  /** The ratio to the usual loss rate from which on a loss counts. */
  private static final double MORE = 2;

  /**
   * The significance of a loss, in standard deviations, because random loss varies between rounds.
   */
  private static final double DEVIATIONS = 3;

  /** The minimum loss rate of a full queue: one packet in a thousand. */
  private static final double LEAST_LOSS = 0.001;

  /**
   * The share of the longest queue from which on a queue counts as full. The longest queue is that
   * of two rounds, because a single round may be long through an unnoticed delay of a host.
   */
  private static final double FULL_SHARE = 0.5;

  private static final double WEIGHT = 1.0 / 8;

  /**
   * The validity of the minimum round trip, one to two minutes: the queue of other flows persists
   * while this flow looks for the minimum.
   */
  private static final long LEAST_VALID_MICROS = 60_000_000;

  /**
   * The time after a loss in a full queue for which other flows are assumed, even without a queue.
   */
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

  /** Handles an acknowledgement. */
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

  /** Handles missing packets. Losses of packets sent before the last reduction are ignored. */
  void lost(long first, long count) {
    if (first >= ignoredBelow) {
      lost += count;
    }
  }

  /** Ignores losses of packets below this one, which were sent before the path was known. */
  void ignoreLossesBelow(long index) {
    ignoredBelow = index;
  }

  /**
   * Handles the end of a round.
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

  /** Halves the packets in the path, without those that have arrived but are not acknowledged. */
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

  /** The longest stall of the hosts in this round and the one before. */
  long lateMicros() {
    return Math.max(late, lateBefore);
  }

  /** The longest queue of the last minute or two, without delays of the hosts. */
  long longestQueueMicros() {
    return Math.max(longestQueue, longestQueueBefore);
  }

  /**
   * Whether a full queue has recently dropped packets: packets sent ahead would be dropped, too.
   */
  boolean wasCutLately(long now) {
    return cutMicros > 0 && now - cutMicros < OTHERS_MICROS;
  }

  /** Whether there is a limit. */
  boolean isThere() {
    return packets < Double.POSITIVE_INFINITY;
  }

  /** The limit of packets in flight, 16 or more; infinite for none. */
  double packets() {
    return packets;
  }
}
