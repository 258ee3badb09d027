package io.fdt.core.tuning;

import java.util.EnumMap;
import java.util.Map;

/**
 * Finds the number of streams of one transfer while it runs: a search that tries, measures and
 * keeps what is better. Time is what the samples say.
 *
 * <pre>
 *   GROW: twice as many, while that brings 8 % -----------------------------> HOLD
 *   HOLD: nothing for 10 s, then 20, ... 120 -- the network limits --> TRY one step up or down
 *   TRY:  measured -> CHECK: as before, measured again -> the better one --> HOLD
 *   the rate changes by more than 20 %, or windows begin to limit, twice in a row: GROW
 * </pre>
 *
 * More streams are tried only while the network limits; while the processor does, only fewer. What
 * is better is what has more utility: {@code rate / 1.02^streams - 10 * loss * rate}, Falcon's
 * (SC'21); trying up and down in turn, each between two measurements of what there was, is
 * MongoDB's execution control.
 *
 * <p>Not thread-safe: confined to the event loop of its session.
 */
public final class StreamTuner {
  /** One more stream must bring 2 %: Falcon's K. Streams of others get their share, too. */
  private static final double COST_OF_STREAM = 1.02;

  /** A percent of loss costs a tenth of the rate: Falcon's B. */
  private static final double COST_OF_LOSS = 10;

  /** What doubling must bring. */
  private static final double GROWTH = 1.08;

  /** What one step up must bring: more than measurements of the same thing differ by. */
  private static final double GAIN = 1.03;

  /** What it must bring when round trips take twice as long as they could: a queue has grown. */
  private static final double GAIN_WITH_QUEUE = 1.08;

  private static final double QUEUE = 2;

  /** A step is an eighth of the streams. */
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

  private enum State {
    GROW,
    HOLD,
    TRY,
    CHECK
  }

  /** What a measurement of several samples says. */
  private record Measured(
      double rate, double loss, double queue, Bottleneck bottleneck, double utility) {}

  private final int most;
  private int streams;
  private State state = State.GROW;

  /** What was measured with {@link #before} streams; null for nothing yet. */
  private Measured base;

  private Measured tried;
  private int before;
  private int triedStreams;
  private boolean upNext = true;
  private double gapSeconds = FIRST_GAP_SECONDS;
  private double heldSeconds;
  private int changes;
  private double settlingSeconds;
  private String reason = "the start";

  // What is being measured.
  private double seconds;
  private double bytes;
  private double segments;
  private double retransmits;
  private double queue;
  private final Map<Bottleneck, Double> limits = new EnumMap<>(Bottleneck.class);

  /**
   * @param start streams to begin with, 1 to {@code most}
   * @param most that may be used
   */
  public StreamTuner(int start, int most) {
    if (start < 1 || start > most) {
      throw new IllegalArgumentException(start + " of " + most + " streams");
    }
    this.streams = start;
    this.before = start;
    this.most = most;
    this.settlingSeconds = LEAST_SETTLING_SECONDS;
  }

  /**
   * The streams to begin with on a path. With a rate that was reached before, as many as carry it
   * through windows of this size; otherwise 4, and 8 where the slow start of each takes long.
   *
   * @param rate bytes per second that the path has carried before; 0 when nobody knows
   * @param roundTripMicros 0 when nobody knows
   * @param window bytes that one stream can have under way, 1 or more
   */
  public static int start(double rate, long roundTripMicros, long window) {
    if (rate > 0 && roundTripMicros > 0) {
      double needed = Math.ceil(rate * roundTripMicros / 1e6 / window);
      return (int) Math.max(2, Math.min(8, needed));
    }
    return roundTripMicros >= 50_000 ? 8 : 4;
  }

  /** Streams to use now. */
  public int streams() {
    return streams;
  }

  /** Why it is this many, for people. */
  public String reason() {
    return reason;
  }

  /** Takes in what happened since the last time. Returns {@link #streams}. */
  public int next(Sample sample) {
    if (settlingSeconds > 0) {
      settlingSeconds -= sample.seconds();
      return streams;
    }
    seconds += sample.seconds();
    bytes += sample.bytes();
    segments += sample.segments();
    retransmits += sample.retransmits();
    double least = Math.max(1, sample.leastRoundTripMicros());
    queue += sample.seconds() * Math.max(1, sample.roundTripMicros() / least);
    limits.merge(Bottleneck.of(sample), sample.seconds(), Double::sum);
    double roundTripSeconds = sample.roundTripMicros() / 1e6;
    if (seconds >= Math.max(LEAST_SECONDS, ROUND_TRIPS * roundTripSeconds) - 1e-6) {
      Measured measured = measured();
      clear();
      decide(measured, roundTripSeconds);
    }
    return streams;
  }

  private Measured measured() {
    double rate = bytes / seconds;
    double loss = segments == 0 ? 0 : Math.min(1, retransmits / segments);
    Bottleneck most = Bottleneck.NETWORK;
    for (Map.Entry<Bottleneck, Double> limit : limits.entrySet()) {
      most = limit.getValue() > limits.getOrDefault(most, 0.0) ? limit.getKey() : most;
    }
    double utility = rate / Math.pow(COST_OF_STREAM, streams) - COST_OF_LOSS * loss * rate;
    heldSeconds += seconds;
    return new Measured(rate, loss, queue / seconds, most, utility);
  }

  private void clear() {
    seconds = 0;
    bytes = 0;
    segments = 0;
    retransmits = 0;
    queue = 0;
    limits.clear();
  }

  private void decide(Measured now, double roundTripSeconds) {
    int from = streams;
    switch (state) {
      case GROW -> grow(now);
      case HOLD -> hold(now);
      case TRY -> {
        tried = now;
        triedStreams = streams;
        streams = before;
        state = State.CHECK;
      }
      case CHECK -> check(now);
    }
    if (streams != from) {
      settlingSeconds = Math.max(LEAST_SETTLING_SECONDS, SETTLING_ROUND_TRIPS * roundTripSeconds);
    }
  }

  private void grow(Measured now) {
    boolean first = base == null;
    if (!first && now.utility() < base.utility() * GROWTH) {
      streams = before;
      held(base, "twice as many brought too little");
    } else if (!now.bottleneck().isNetwork()) {
      held(now, now.bottleneck().text() + " limits");
    } else if (streams == most) {
      held(now, "as many as may be");
    } else {
      base = now;
      before = streams;
      streams = Math.min(most, 2 * streams);
      reason = now.bottleneck().text() + " limits: more may help";
    }
  }

  private void held(Measured with, String why) {
    base = with;
    before = streams;
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
    int step = Math.max(1, streams / STEP_PART);
    if (now.bottleneck() == Bottleneck.CPU) {
      attempt(now, streams - step);
    } else if (now.bottleneck().isNetwork()) {
      attempt(now, upNext ? streams + step : streams - step);
      upNext = !upNext;
    } else {
      heldSeconds = 0; // other streams would change nothing
      reason = now.bottleneck().text() + " limits";
    }
  }

  private void attempt(Measured now, int count) {
    if (count < 1 || count > most) {
      heldSeconds = 0;
      return;
    }
    base = now;
    before = streams;
    streams = count;
    state = State.TRY;
  }

  private void check(Measured now) {
    double utilityBefore = (base.utility() + now.utility()) / 2;
    boolean up = triedStreams > before;
    double needed = !up ? 1 : tried.queue() > QUEUE ? GAIN_WITH_QUEUE : GAIN;
    if (tried.utility() > utilityBefore * needed) {
      streams = triedStreams;
      upNext = up; // the same way again
      held(tried, up ? "one step more was better" : "one step fewer was no worse");
    } else {
      double longer = Math.min(LAST_GAP_SECONDS, 2 * gapSeconds);
      held(now, "neither more nor fewer were better");
      gapSeconds = longer;
    }
  }
}
