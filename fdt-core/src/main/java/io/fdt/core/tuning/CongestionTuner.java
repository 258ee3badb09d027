package io.fdt.core.tuning;

/**
 * Tries BBR when packets are lost at random, and keeps it if it is faster. Time is that of the
 * samples.
 *
 * <pre>
 *   WATCH: loss without a queue limits for two measurements ---> TRIAL
 *   TRIAL: settles, is measured, and is worth it ---> KEPT, otherwise WATCH, 120 s later
 *   KEPT: more than 5 % loss without enough gain, for two measurements ---> back, permanently
 * </pre>
 *
 * BBR is worth it if it gains 15 % with at most 5 % of segments retransmitted, or doubles the rate
 * with at most 15 %.
 *
 * <p>CUBIC takes each loss for a full queue (RFC 9438), whereas BBR uses rate and round trip.
 *
 * <p>Not thread-safe: confined to the event loop of its session.
 */
public final class CongestionTuner {
  /** The algorithm to try. */
  public static final String TRIED = "bbr";

  private static final double GAIN = 1.15;
  private static final double SOME_LOSS = 0.05;
  private static final double LARGE_GAIN = 2;
  private static final double MOST_LOSS = 0.15;
  private static final double LEAST_SECONDS = 3;
  private static final double ROUND_TRIPS = 8;
  private static final int TIMES = 2;
  private static final double GAP_SECONDS = 120;

  private enum State {
    WATCH,
    TRIAL,
    KEPT,
    OVER
  }

  private State state = State.WATCH;
  private Sample measured;
  private double rateBefore;
  private double settlingSeconds;
  private double gapSeconds;
  private int times;
  private String reason = "";

  /** Whether to use {@link #TRIED} now. */
  public boolean usesTried() {
    return state == State.TRIAL || state == State.KEPT;
  }

  /** Whether a trial is in progress: other tuners must wait. */
  public boolean isTrying() {
    return state == State.TRIAL;
  }

  /** The reason for the last decision, for display. */
  public String reason() {
    return reason;
  }

  /** Records that the system refuses the algorithm. */
  public void refused() {
    state = State.OVER;
    reason = "the system does not allow " + TRIED;
  }

  /** Drops the current measurement: another tuner experiments, or the transfer stalls. */
  public void disturbed() {
    measured = null;
  }

  /** Adds a sample. Returns {@link #usesTried}. */
  public boolean next(Sample sample) {
    if (sample.streams() == 0 || sample.bytes() == 0) {
      disturbed();
      return usesTried();
    }
    if (settlingSeconds > 0) {
      settlingSeconds -= sample.seconds();
      return usesTried();
    }
    gapSeconds -= sample.seconds();
    measured = measured == null ? sample : measured.and(sample);
    double needed = Math.max(LEAST_SECONDS, ROUND_TRIPS * sample.roundTripMicros() / 1e6);
    if (measured.seconds() >= needed - 1e-6) {
      Sample whole = measured;
      measured = null;
      decide(whole);
    }
    return usesTried();
  }

  private void decide(Sample now) {
    switch (state) {
      case WATCH -> {
        times = Bottleneck.of(now) == Bottleneck.LOSS ? times + 1 : 0;
        if (times >= TIMES && gapSeconds <= 0) {
          rateBefore = now.rate();
          go(State.TRIAL, "random loss: " + TRIED + " may carry more");
          settlingSeconds = Math.max(2, ROUND_TRIPS * now.roundTripMicros() / 1e6);
        }
      }
      case TRIAL -> {
        if (isWorthIt(now)) {
          go(State.KEPT, TRIED + " carries more");
        } else {
          boolean more = now.rate() >= GAIN * rateBefore;
          go(State.WATCH, TRIED + (more ? " loses too much" : " carries no more"));
          gapSeconds = GAP_SECONDS;
        }
      }
      case KEPT -> {
        boolean isBad = now.loss() > MOST_LOSS || (now.loss() > SOME_LOSS && !isWorthIt(now));
        times = isBad && Bottleneck.of(now).isNetwork() ? times + 1 : 0; // or it is not BBR's doing
        if (times >= TIMES) {
          go(State.OVER, TRIED + " loses too much");
        }
      }
      case OVER -> {}
    }
  }

  private boolean isWorthIt(Sample now) {
    boolean losesLittle = now.loss() <= SOME_LOSS;
    return now.rate() >= (losesLittle ? GAIN : LARGE_GAIN) * rateBefore && now.loss() <= MOST_LOSS;
  }

  private void go(State next, String why) {
    state = next;
    reason = why;
    times = 0;
  }
}
