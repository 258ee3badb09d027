package io.fdt.udt.protocol;

import java.util.Arrays;
import java.util.Locale;

/**
 * Determines the rate of a sender from a model of the path: the maximum arrival rate of the last
 * ten rounds, and the minimum round-trip time of the last ten seconds. Like BBR it sends at that
 * rate, tries a quarter more once in eight rounds, and drains the queue afterwards.
 *
 * <pre>
 *   START --(three rounds without a quarter more, or much loss)--> DRAIN --> CRUISE <--> LOOK
 *     ^------------------------- nothing arrives -------------------------------/
 * </pre>
 *
 * <p>LOOK sends little for a fifth of a second when the minimum round-trip time is old, because its
 * own queue would otherwise count as part of the path.
 *
 * <p>Losses up to 5 % of a round are ignored and only retransmitted. Beyond that the model forgets
 * all rates except the last one. On a loaded host timers fire late, so that the arrival rate is
 * lower than the path allows: such rounds count once a second.
 */
final class RateControl {
  private enum State {
    START,
    DRAIN,
    CRUISE,
    LOOK
  }

  private static final double START_GAIN = 2.77;
  private static final double[] CYCLE = {1.25, 0.75, 1, 1, 1, 1, 1, 1};

  /**
   * The pacing gain beside other flows, when the limit of packets in flight decides, and pacing
   * only spreads packets.
   */
  private static final double BESIDE_GAIN = 1.1;

  private static final double MOST_LOSS = 0.05;
  private static final int ROUNDS = 10;
  private static final long LEAST_ROUND_MICROS = 2 * UdtConnection.SYN_MICROS;
  private static final long ROUND_TRIP_VALID_MICROS = 10_000_000;
  private static final long LOOK_MICROS = 200_000;

  /**
   * The interval at which a delayed round counts; ten of them replace a rate within ten seconds.
   */
  private static final long LATE_ROUND_MICROS = 1_000_000;

  /**
   * A late timer sends at most this fraction of a round trip at once, and of the longest queue
   * seen, because a short queue would drop the burst.
   */
  private static final int CATCH_UP_SHARE = 4;

  private static final long LEAST_CATCH_UP_MICROS = 1000;
  private static final long MOST_CATCH_UP_MICROS = 20_000;

  private static final long UNKNOWN_ROUND_TRIP = 100_000;
  private static final int FIRST_WINDOW = 32;
  private static final int LEAST_WINDOW = 4;
  private static final int SAMPLES = 256;

  private State state = State.START;
  private final double[] bestOfRound = new double[ROUNDS];
  private int round;
  private double rate;
  private double lastSample;
  private double fullRate;
  private int roundsWithoutGrowth;
  private int phase;
  private long roundMicros;
  private long roundDelivered;
  private long roundLost;
  private boolean roundIdle;
  private boolean roundLate;
  private boolean lateBefore;
  private int roundsCrowded;
  private long forgottenMicros;
  private long leastRoundTrip;
  private long leastSeenMicros;
  private boolean known;
  private long lookMicros;
  private final long[] times = new long[SAMPLES];
  private final long[] counts = new long[SAMPLES];
  private long samples;
  private double gain = START_GAIN;
  private double roundTripMicros = UNKNOWN_ROUND_TRIP;
  private final Ceiling ceiling = new Ceiling();

  /**
   * @param roundTripMicros measured by the handshake; 0 when unknown
   */
  RateControl(long roundTripMicros) {
    this.leastRoundTrip = roundTripMicros > 0 ? roundTripMicros : UNKNOWN_ROUND_TRIP;
    this.known = roundTripMicros > 0;
  }

  /** Handles an acknowledgement with a window. */
  void acknowledged(Progress progress) {
    long now = progress.nowMicros;
    if (samples == 0) {
      leastSeenMicros = now;
      roundMicros = now;
    }
    long roundTrip = progress.lastRoundTripMicros;
    if (roundTrip > 0 && (!known || roundTrip <= leastRoundTrip)) {
      known = true;
      leastRoundTrip = roundTrip;
      leastSeenMicros = now;
    }
    look(now, roundTrip);
    sample(progress);
    roundTripMicros = progress.roundTripMicros;
    ceiling.acknowledged(progress);
    roundIdle |= progress.idle;
    roundLate |= progress.lateMicros > SendSide.LATE_MICROS;
    boolean drained = progress.inFlight <= pathHolds();
    if (state == State.DRAIN && drained) {
      state = State.CRUISE;
      phase = 2;
      gain = 1;
    }
    if (now - roundMicros >= Math.max(leastRoundTrip, LEAST_ROUND_MICROS)) {
      endRound(progress);
    }
  }

  private void look(long now, long roundTrip) {
    if (state == State.CRUISE && now - leastSeenMicros > ROUND_TRIP_VALID_MICROS) {
      state = State.LOOK;
      lookMicros = now;
      gain = 0.5;
    } else if (state == State.LOOK && now - lookMicros > Math.max(LOOK_MICROS, leastRoundTrip)) {
      leastRoundTrip = roundTrip;
      leastSeenMicros = now;
      state = State.CRUISE;
      phase = 2;
      gain = 1;
    }
  }

  private void sample(Progress progress) {
    long interval = Math.min(100_000, Math.max(20_000, leastRoundTrip / 2));
    long at = progress.arrivedMicros;
    if (samples > 0 && at <= times[(int) ((samples - 1) % SAMPLES)]) {
      return;
    }
    for (long i = samples - 1; i >= Math.max(0, samples - SAMPLES); i--) {
      int slot = (int) (i % SAMPLES);
      if (at - times[slot] >= interval) {
        lastSample = (progress.arrived - counts[slot]) / (double) (at - times[slot]);
        if (!progress.idle || lastSample > rate) {
          bestOfRound[round] = Math.max(bestOfRound[round], lastSample);
          rate = Math.max(rate, lastSample);
        }
        break;
      }
    }
    times[(int) (samples % SAMPLES)] = at;
    counts[(int) (samples % SAMPLES)] = progress.arrived;
    samples++;
  }

  private void endRound(Progress progress) {
    long delivered = progress.delivered - roundDelivered;
    long lost = progress.lost - roundLost;
    boolean tellsOfPath = tellsOfPath(progress.nowMicros);
    boolean muchLoss = lost > MOST_LOSS * (delivered + lost) && lost > FIRST_WINDOW;
    roundMicros = progress.nowMicros;
    roundDelivered = progress.delivered;
    roundLost = progress.lost;
    ceiling.endRound(progress, rate, delivered, state == State.CRUISE);
    roundsCrowded = muchLoss ? ROUNDS : Math.max(0, roundsCrowded - 1);
    if (muchLoss && state == State.CRUISE && (tellsOfPath || roundIdle)) {
      forget(Math.max(lastSample, bestOfRound[round]));
    } else if (tellsOfPath) {
      forgottenMicros = progress.nowMicros;
      round = (round + 1) % ROUNDS;
      bestOfRound[round] = 0;
      rate = 0;
      for (double best : bestOfRound) {
        rate = Math.max(rate, best);
      }
    }
    switch (state) {
      case START -> endStart(progress, muchLoss, tellsOfPath);
      case DRAIN -> gain = 1 / START_GAIN;
      case CRUISE -> {
        boolean queued = phase == 1 && progress.inFlight > pathHolds();
        phase = muchLoss || queued ? 1 : (phase + 1) % CYCLE.length;
        gain = CYCLE[phase];
      }
      case LOOK -> {}
    }
    roundIdle = false;
    lateBefore = roundLate;
    roundLate = false;
  }

  /**
   * Whether the arrival rate of a round is that of the path. It is lower if this end was late: one
   * such round per second counts.
   */
  private boolean tellsOfPath(long now) {
    boolean late = (roundLate || lateBefore) && now - forgottenMicros < LATE_ROUND_MICROS;
    return !roundIdle && !late;
  }

  private void endStart(Progress progress, boolean muchLoss, boolean tellsOfPath) {
    if (rate > fullRate * 1.25) {
      fullRate = rate;
      roundsWithoutGrowth = 0;
    } else if (tellsOfPath) {
      roundsWithoutGrowth++;
    }
    if (rate > 0 && (muchLoss || roundsWithoutGrowth >= 3)) {
      state = State.DRAIN;
      gain = 1 / START_GAIN;
      ceiling.ignoreLossesBelow(progress.sent);
    }
  }

  /** Forgets all rates but this one. */
  private void forget(double kept) {
    Arrays.fill(bestOfRound, 0);
    bestOfRound[round] = kept;
    rate = kept;
  }

  /** Packets in flight without a queue. */
  private double pathHolds() {
    return rate * (leastRoundTrip + UdtConnection.SYN_MICROS);
  }

  /**
   * Handles packets reported missing.
   *
   * @param first the lowest one
   * @param packets their number
   */
  void lost(long first, long packets) {
    ceiling.lost(first, packets);
  }

  /** Handles a timeout. */
  void timedOut() {
    forget(Math.max(lastSample, rate) / 2);
    state = State.START;
    gain = START_GAIN;
    fullRate = rate;
    roundsWithoutGrowth = 0;
  }

  /** Time from one packet to the next, in microseconds, above 0. */
  double periodMicros() {
    double first =
        (rate > 0 ? LEAST_WINDOW : FIRST_WINDOW) / (double) Math.max(1000, leastRoundTrip);
    double paced = gain * Math.max(rate, first);
    if (state == State.CRUISE && ceiling.isThere()) {
      paced = Math.max(paced, BESIDE_GAIN * window() / roundTripMicros);
    } else if (isLate()) {
      paced = Math.max(paced, CYCLE[0] * rate);
    }
    return 1 / paced;
  }

  /** The most packets in flight, 2 or more. */
  long window() {
    double packets =
        switch (state) {
          case START -> START_GAIN * pathHolds();
          case DRAIN -> 2 * pathHolds();
          case CRUISE -> {
            double late = rate * lateMicros();
            if (ceiling.isThere()) {
              yield ceiling.packets() + late;
            }
            yield isLate() ? CYCLE[0] * pathHolds() + late : 2 * pathHolds();
          }
          case LOOK -> 0.5 * pathHolds();
        };
    return Math.max(FIRST_WINDOW, (long) packets);
  }

  /**
   * The recent stalls of the hosts in sending and reading: additional packets for this time are in
   * flight, so that the path stays busy during a stall.
   */
  private long lateMicros() {
    return Math.min(ceiling.lateMicros(), leastRoundTrip / CATCH_UP_SHARE);
  }

  /** Whether to send ahead for a stalling host; not if that would overflow a queue. */
  private boolean isLate() {
    return state == State.CRUISE
        && roundsCrowded == 0
        && !ceiling.wasCutLately(roundMicros)
        && ceiling.lateMicros() > SendSide.LATE_MICROS;
  }

  /** The most that a late timer may send at once, in microseconds of the rate. */
  long catchUpMicros() {
    long most =
        state == State.START
            ? leastRoundTrip // no queue was seen yet
            : Math.min(leastRoundTrip, ceiling.longestQueueMicros());
    return Math.min(MOST_CATCH_UP_MICROS, Math.max(LEAST_CATCH_UP_MICROS, most / CATCH_UP_SHARE));
  }

  /** Its state in one word, for display. */
  String state() {
    return state.name().toLowerCase(Locale.ROOT);
  }
}
