package io.fdt.core.tuning;

import java.util.EnumMap;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Finds how many streams, or readers, serve one transfer best, while it runs: a search that tries,
 * measures and keeps what is better. Time is what the samples say.
 *
 * <pre>
 *   GROW: twice as many, while that brings 8 % -----------------------------> HOLD
 *   HOLD: nothing for 10 s, then 20, ... 120 -- more may help --------> TRY one step up or down
 *   TRY:  measured -> CHECK: as before, measured again -> the better one --> HOLD
 *   the rate changes by more than 20 %, or windows begin to limit, twice in a row: GROW
 * </pre>
 *
 * More are tried only while that limits which more may help; while the processor does, only fewer.
 * What is better is what has more utility: {@code rate / 1.02^count - 10 * loss * rate}, Falcon's
 * (SC'21); trying up and down in turn, each between two measurements of what there was, is
 * MongoDB's execution control.
 *
 * <p>Not thread-safe: confined to the event loop of its session.
 */
public final class CountTuner {
  /** One more must bring 2 %: Falcon's K. Streams of others get their share, too. */
  private static final double COST_OF_ONE = 1.02;

  /** A percent of loss costs a tenth of the rate: Falcon's B. */
  private static final double COST_OF_LOSS = 10;

  /** What doubling must bring. */
  private static final double GROWTH = 1.08;

  /** What one step up must bring: more than measurements of the same thing differ by. */
  private static final double GAIN = 1.03;

  /** What it must bring when round trips take twice as long as they could: a queue has grown. */
  private static final double GAIN_WITH_QUEUE = 1.08;

  private static final double QUEUE = 2;

  /** A step is an eighth. */
  private static final int STEP_PART = 8;

  /** A measurement takes so long, or eight round trips if those are longer. */
  private static final double LEAST_SECONDS = 3;

  private static final double ROUND_TRIPS = 8;

  /** After a change streams take this long, or four round trips, until they are at their rate. */
  private static final double LEAST_SETTLING_SECONDS = 1;

  private static final double SETTLING_ROUND_TRIPS = 4;
  private static final double FIRST_GAP_SECONDS = 10;
  private static final double LAST_GAP_SECONDS = 120;

  /** A rate that differs by this much from what was held is another situation. */
  private static final double CHANGE = 0.2;

  private static final int CHANGES = 2;

  /** In bytes per second: what a path is expected to carry before it was seen. */
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
   * What a measurement of several samples says.
   *
   * @param queue how many times the least round trip a round trip took
   * @param served how many the processors would serve
   */
  private record Measured(
      double rate, double queue, Bottleneck bottleneck, double utility, int served) {}

  private final Predicate<Bottleneck> helps;
  private final int most;
  private int count;
  private State state = State.GROW;

  /** What was measured with {@link #before} of them; null for nothing yet. */
  private Measured base;

  private Measured tried;
  private int before;
  private int triedCount;
  private boolean upNext = true;
  private double gapSeconds = FIRST_GAP_SECONDS;
  private double heldSeconds;
  private int changes;
  private double settlingSeconds;
  private String reason = "the start";

  /** What is being measured; null at the beginning of a measurement. */
  private Sample whole;

  private final Map<Bottleneck, Double> limits = new EnumMap<>(Bottleneck.class);

  /**
   * @param start how many to begin with, 1 to {@code most}
   * @param most that may be used
   * @param helps whether more may help when this limits
   */
  public CountTuner(int start, int most, Predicate<Bottleneck> helps) {
    this.helps = helps;
    if (start < 1 || start > most) {
      throw new IllegalArgumentException(start + " of " + most);
    }
    this.count = start;
    this.before = start;
    this.most = most;
    this.settlingSeconds = LEAST_SETTLING_SECONDS;
  }

  /**
   * The streams to begin with on a path: as many as one gigabit per second needs there, given what
   * one stream can have under way, and 4 or more, which FDT has always used. Where a round trip
   * takes long 16: together they are at their rate two round trips earlier, and fewer are tried
   * soon.
   *
   * @param roundTripMicros 0 when nobody knows
   * @param window bytes that one stream can have under way, 1 or more
   * @param most that may be used, 4 or more
   */
  public static int startStreams(long roundTripMicros, long window, int most) {
    double needed = Math.ceil(GIGABIT * roundTripMicros / 1e6 / window);
    int least = roundTripMicros >= LONG_MICROS ? LONG_START : LEAST_START;
    return (int) Math.min(most, Math.max(least, needed));
  }

  /** How many to use now. */
  public int count() {
    return count;
  }

  /** Why it is this many, for people. */
  public String reason() {
    return reason;
  }

  /** Takes in what happened since the last time. Returns {@link #count}. */
  public int next(Sample sample) {
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

  /**
   * How long to measure. While streams only wait for windows, one second tells that more of them
   * carry more.
   */
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
    int served = CpuModel.served(all).orElse(this.most);
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
      }
      case CHECK -> check(now);
    }
    if (count != from) {
      settlingSeconds = Math.max(LEAST_SETTLING_SECONDS, SETTLING_ROUND_TRIPS * roundTripSeconds);
    }
  }

  private void grow(Measured now) {
    boolean first = base == null;
    if (!first && now.utility() < base.utility() * GROWTH) {
      count = before;
      held(base, "twice as many brought too little");
    } else if (!helps.test(now.bottleneck())) {
      held(now, now.bottleneck().text() + " limits");
    } else if (count == most) {
      held(now, "as many as may be");
    } else {
      int next = Math.min(Math.min(most, 2 * count), Math.max(count, now.served()));
      if (next == count) {
        held(now, "the processors would not serve more");
        return;
      }
      base = now;
      before = count;
      count = next;
      reason = now.bottleneck().text() + " limits: more may help";
    }
  }

  private void held(Measured with, String why) {
    base = with;
    before = count;
    state = State.HOLD;
    heldSeconds = 0;
    changes = 0;
    gapSeconds = FIRST_GAP_SECONDS;
    reason = why;
  }

  private void hold(Measured now) {
    boolean windows = now.bottleneck().isOfOneStream() && !base.bottleneck().isOfOneStream();
    boolean changed = windows || Math.abs(now.rate() - base.rate()) > CHANGE * base.rate();
    changes = changed ? changes + 1 : 0;
    if (changes == CHANGES) {
      boolean better = windows || now.rate() > base.rate();
      gapSeconds = FIRST_GAP_SECONDS;
      base = null;
      changes = 0;
      state = State.GROW;
      grow(now);
      if (state == State.GROW) {
        reason = better ? "the path carries more than before" : "the path carries less than before";
      }
      return;
    }
    if (changed || heldSeconds < gapSeconds) {
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

  private void attempt(Measured now, int next) {
    if (next < 1 || next > most) {
      heldSeconds = 0;
      return;
    }
    base = now;
    before = count;
    count = next;
    state = State.TRY;
  }

  private void check(Measured now) {
    double utilityBefore = (base.utility() + now.utility()) / 2;
    boolean up = triedCount > before;
    double needed = !up ? 1 : tried.queue() > QUEUE ? GAIN_WITH_QUEUE : GAIN;
    if (tried.utility() > utilityBefore * needed) {
      count = triedCount;
      upNext = up; // the same way again
      held(tried, up ? "one step more was better" : "one step fewer was no worse");
    } else {
      double longer = Math.min(LAST_GAP_SECONDS, 2 * gapSeconds);
      held(now, "neither more nor fewer were better");
      gapSeconds = longer;
    }
  }
}
