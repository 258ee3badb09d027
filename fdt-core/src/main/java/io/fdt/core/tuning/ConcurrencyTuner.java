package io.fdt.core.tuning;

import java.util.EnumMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Finds the best number of streams, or of readers, of a running transfer: tries another number,
 * measures, and keeps the better one. Time is that of the samples.
 *
 * <pre>
 *   GROW: twice as many, while that gains 8 % -----------------------------> HOLD
 *   HOLD: nothing for 10 s, then 20, ... 120 -- more may help --------> TRY one step up or down
 *   TRY:  measured -> CHECK: as before, measured again -> the better one --> HOLD
 *   the rate changes significantly and by more than 20 %, or windows or another limit that more
 *   may help begin to limit, twice in a row: TRY twice as many, repeatedly while that gains 8 %
 * </pre>
 *
 * A stall is not a measurement.
 *
 * <p>More are tried only while they may help against the bottleneck; while the processor is the
 * bottleneck, only fewer. The best number has the most utility: {@code rate / 1.02^count - 10 *
 * loss * rate}, Falcon's (SC'21); trying up and down in turn, each between two measurements of the
 * current number, is MongoDB's execution control.
 *
 * <p>Not thread-safe: confined to the event loop of its session.
 */
public final class ConcurrencyTuner {
  /** One more must gain 2 % (Falcon's K), which leaves a share to the streams of others. */
  private static final double COST_OF_ONE = 1.02;

  /** One percent of loss costs a tenth of the rate (Falcon's B). */
  private static final double COST_OF_LOSS = 10;

  /** The minimum gain of doubling. */
  private static final double GROWTH = 1.08;

  /**
   * The minimum gain of one step up: more than the differences between measurements of the same
   * number.
   */
  private static final double GAIN = 1.03;

  /**
   * The minimum gain of a step when round trips take twice the minimum, because a queue has grown.
   */
  private static final double GAIN_WITH_QUEUE = 1.08;

  private static final double QUEUE = 2;

  /** A step changes the number by one eighth. */
  private static final int STEP_PART = 8;

  /** The duration of a measurement, or eight round trips if longer. */
  private static final double LEAST_SECONDS = 3;

  private static final double ROUND_TRIPS = 8;

  /** The time until streams reach their rate after a change, or four round trips if longer. */
  private static final double LEAST_SETTLING_SECONDS = 1;

  private static final double SETTLING_ROUND_TRIPS = 4;
  private static final double FIRST_GAP_SECONDS = 10;
  private static final double LAST_GAP_SECONDS = 120;

  /** Changes in a row in the same direction that start a new search. */
  private static final int CHANGES = 2;

  /**
   * The additional gain of a step, in standard deviations: one measurement in three deviates more.
   */
  private static final double DEVIATIONS = 1;

  /** The expected rate of a path before measurements, in bytes per second. */
  private static final double GIGABIT = 125e6;

  private static final int LEAST_START = 4;
  private static final int LONG_START = 16;
  private static final long LONG_MICROS = 50_000;

  private enum State {
    GROW,
    HOLD,
    TRY,
    CHECK
  }

  /**
   * The result of a measurement of several samples.
   *
   * @param queue ratio of the round trip to the minimum
   * @param served the number that the processors would serve
   */
  private record Measured(
      double rate, double queue, Bottleneck bottleneck, double utility, int served) {
    /** Whether it has more utility than {@code other}, by this factor. */
    boolean isBetter(double other, double factor) {
      return utility > other + Math.abs(other) * (factor - 1); // loss can make it negative
    }
  }

  private final Predicate<Bottleneck> helps;
  private final Function<Sample, OptionalInt> bound;
  private final int most;
  private final SteadyRate held = new SteadyRate();
  private int count;
  private State state = State.GROW;

  /** The measurement with {@link #before}; null before the first. */
  private Measured base;

  private Measured tried;
  private int before;
  private int triedCount;
  private boolean upNext = true;

  /** Whether the trial doubles the number, after a change. */
  private boolean doubles;

  private double gapSeconds = FIRST_GAP_SECONDS;
  private double heldSeconds;

  /**
   * Consecutive measurements far from the held rate: above 0 for higher ones, below 0 for lower
   * ones.
   */
  private int changes;

  /** The last measurement far from the held rate. */
  private double far;

  private double settlingSeconds;
  private String reason = "the start";

  /** The samples of the current measurement; null at its beginning. */
  private Sample whole;

  private final Map<Bottleneck, Double> limits = new EnumMap<>(Bottleneck.class);

  /**
   * @param start the initial number, 1 to {@code most}
   * @param most the maximum number
   * @param helps whether more may help against a bottleneck
   * @param bound a lower maximum that follows from samples; empty while unknown
   */
  public ConcurrencyTuner(
      int start, int most, Predicate<Bottleneck> helps, Function<Sample, OptionalInt> bound) {
    this.helps = helps;
    this.bound = bound;
    if (start < 1 || start > most) {
      throw new IllegalArgumentException(start + " of " + most);
    }
    this.count = start;
    this.before = start;
    this.most = most;
    this.settlingSeconds = LEAST_SETTLING_SECONDS;
  }

  /**
   * The initial streams on a path: the number that 1 Gbit/s needs with this window, at least 4 as
   * in the original FDT. On long paths 16: together they reach their rate two round trips earlier,
   * and fewer are tried soon.
   *
   * @param roundTripMicros 0 when unknown
   * @param window most bytes of one stream in flight, 1 or more
   * @param most the maximum, 4 or more
   */
  public static int startStreams(long roundTripMicros, long window, int most) {
    double needed = Math.ceil(GIGABIT * roundTripMicros / 1e6 / window);
    int least = roundTripMicros >= LONG_MICROS ? LONG_START : LEAST_START;
    return (int) Math.min(most, Math.max(least, needed));
  }

  /** The number to use now. */
  public int count() {
    return count;
  }

  /** The reason for this number, for display. */
  public String reason() {
    return reason;
  }

  /** Whether a trial is in progress: other tuners must wait. */
  public boolean isTrying() {
    return isStepped() || (state == State.GROW && base != null);
  }

  /** Whether the trial is a single step, between two measurements of the previous number. */
  public boolean isStepped() {
    return state == State.TRY || state == State.CHECK;
  }

  /** Drops the current measurement: another tuner experiments, or the transfer stalls. */
  public void disturbed() {
    whole = null;
    limits.clear();
    settlingSeconds = Math.max(settlingSeconds, LEAST_SETTLING_SECONDS);
  }

  /** Drops all measurements after a change of the congestion control. Returns {@link #count}. */
  public int restart() {
    if (isTrying()) {
      count = before;
    }
    disturbed();
    base = null;
    state = State.GROW;
    return count;
  }

  /** Adds a sample. Returns {@link #count}. */
  public int next(Sample sample) {
    if (sample.streams() == 0 || sample.bytes() == 0) {
      disturbed();
      return count;
    }
    if (settlingSeconds > 0) {
      settlingSeconds -= sample.seconds();
      return count;
    }
    whole = whole == null ? sample : whole.and(sample);
    limits.merge(Bottleneck.of(sample), sample.seconds(), Double::sum);
    double roundTripSeconds = sample.roundTripMicros() / 1e6;
    if (whole.seconds() >= needed(sample, roundTripSeconds) - 1e-6) {
      Measured measured = measured(whole);
      whole = null;
      limits.clear();
      decide(measured, roundTripSeconds);
    }
    return count;
  }

  /** The duration of a measurement. While streams only wait for windows, one second is enough. */
  private double needed(Sample sample, double roundTripSeconds) {
    boolean isClear = state == State.GROW && Bottleneck.of(sample).isOfOneStream();
    return isClear ? 0 : Math.max(LEAST_SECONDS, ROUND_TRIPS * roundTripSeconds);
  }

  private Measured measured(Sample all) {
    Bottleneck most = Bottleneck.NETWORK;
    for (Map.Entry<Bottleneck, Double> limit : limits.entrySet()) {
      most = limit.getValue() > limits.getOrDefault(most, 0.0) ? limit.getKey() : most;
    }
    double rate = all.rate();
    double utility = rate / Math.pow(COST_OF_ONE, count) - COST_OF_LOSS * all.loss() * rate;
    heldSeconds += all.seconds();
    double least = Math.max(1, all.leastRoundTripMicros());
    int served = bound.apply(all).orElse(this.most);
    return new Measured(rate, Math.max(1, all.roundTripMicros() / least), most, utility, served);
  }

  private void decide(Measured now, double roundTripSeconds) {
    int from = count;
    switch (state) {
      case GROW -> grow(now);
      case HOLD -> hold(now);
      case TRY -> {
        tried = now;
        triedCount = count;
        count = before;
        state = State.CHECK;
        reason = "as before, to compare";
      }
      case CHECK -> check(now);
    }
    if (count != from) {
      settlingSeconds = Math.max(LEAST_SETTLING_SECONDS, SETTLING_ROUND_TRIPS * roundTripSeconds);
    }
  }

  private void grow(Measured now) {
    if (base != null && !now.isBetter(base.utility(), GROWTH)) {
      count = before;
      held(base, "twice as many gained too little");
      return;
    }
    int next = twice(now);
    if (next > count) {
      base = now;
      before = count;
      count = next;
      reason = now.bottleneck().text() + " limits: more may help";
    }
  }

  /** Doubles the number, up to the maximum; keeps it if that cannot help. */
  private int twice(Measured now) {
    int next = Math.min(Math.min(most, 2 * count), Math.max(count, now.served()));
    if (!helps.test(now.bottleneck())) {
      held(now, now.bottleneck().text() + " limits");
      return count;
    }
    if (next == count) {
      held(now, count == most ? "the maximum is reached" : "the processors would not serve more");
    }
    return next;
  }

  private void held(Measured with, String why) {
    held.begin(with.rate());
    hold(with, why);
  }

  private void hold(Measured with, String why) {
    base = with;
    before = count;
    state = State.HOLD;
    heldSeconds = 0;
    changes = 0;
    gapSeconds = FIRST_GAP_SECONDS;
    reason = why;
  }

  /** Whether more may help against the current bottleneck, but not against the previous one. */
  private boolean mayHelpNow(Measured now) {
    return helps.test(now.bottleneck()) && !helps.test(base.bottleneck());
  }

  private static String carries(String what) {
    return "the path carries " + what + " than before";
  }

  /** Compares a measurement with the held rate. Returns 1 if higher, -1 if lower, 0 if equal. */
  private int compare(Measured now) {
    boolean windows = now.bottleneck().isOfOneStream() && !base.bottleneck().isOfOneStream();
    int direction = windows || mayHelpNow(now) ? 1 : held.compare(now.rate());
    if (changes * direction < 0 || (changes != 0 && direction == 0)) {
      held.add(far); // it was by chance
      changes = 0;
    }
    changes += direction;
    if (direction == 0) {
      held.add(now.rate());
    } else {
      far = now.rate();
    }
    return direction;
  }

  private void hold(Measured now) {
    int direction = compare(now);
    if (Math.abs(changes) == CHANGES) {
      String other = now.bottleneck().text() + " limits now: more may help";
      searchAnew(now, mayHelpNow(now) ? other : carries(changes > 0 ? "more" : "less"));
      return;
    }
    if (direction != 0 || heldSeconds < gapSeconds) {
      return;
    }
    int step = Math.max(1, count / STEP_PART);
    if (now.bottleneck() == Bottleneck.CPU) {
      attempt(now, count - step);
    } else if (helps.test(now.bottleneck())) {
      attempt(now, upNext ? count + step : count - step);
      upNext = !upNext;
    } else {
      heldSeconds = 0; // another number would change nothing
      reason = now.bottleneck().text() + " limits";
    }
  }

  /**
   * Searches as at the start, but returns to the previous number after each trial, because the rate
   * may have changed again.
   */
  private void searchAnew(Measured now, String why) {
    changes = 0;
    gapSeconds = FIRST_GAP_SECONDS;
    held.begin(now.rate());
    int next = twice(now);
    if (next > count) {
      attempt(now, next);
      doubles = true;
      reason = why;
    }
  }

  private void attempt(Measured now, int next) {
    doubles = false;
    if (next < 1 || next > most) {
      heldSeconds = 0;
      return;
    }
    base = now;
    before = count;
    reason = next > count ? "trying whether more are better" : "trying whether fewer suffice";
    count = next;
    state = State.TRY;
  }

  private void check(Measured now) {
    double utilityBefore = (base.utility() + now.utility()) / 2;
    boolean up = triedCount > before;
    double gain = !up ? 1 : doubles ? GROWTH : tried.queue() > QUEUE ? GAIN_WITH_QUEUE : GAIN;
    if (tried.isBetter(utilityBefore, gain + DEVIATIONS * held.deviation())) {
      count = triedCount;
      if (doubles) {
        searchAnew(tried, carries("more"));
        return;
      }
      upNext = up; // the same way again
      held(tried, up ? "one step more was better" : "one step fewer was no worse");
    } else {
      double longer = Math.min(LAST_GAP_SECONDS, 2 * gapSeconds);
      hold(base, "neither more nor fewer were better");
      gapSeconds = longer;
      compare(now); // the path may have changed meanwhile
    }
  }
}
