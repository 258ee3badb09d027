package io.fdt.core.tuning;

import io.fdt.core.unit.Backoff;
import io.fdt.core.unit.ByteSize;
import io.fdt.core.unit.NumberText;
import java.time.Duration;
import java.util.Locale;

/**
 * Moves data from TCP to UDP if that is faster. Time is that of the samples; TCP's own figures
 * decide whether a gain is possible.
 *
 * <pre>
 *   TCP: losses or a window of the system limit, the path is long ---> ASKING
 *   ASKING: the server answers over UDP ---> TRIAL, otherwise TCP
 *   TRIAL: gains 15 % ---> UDP, otherwise TCP
 *   UDP: carries nothing, little for long, or cannot be dialled ---> TCP
 *   any: data goes to several addresses ---> OVER: TCP permanently
 * </pre>
 *
 * <p>A trial below the bound of {@link StartOfUdp} ends within a second: something on the path
 * slows UDP down. After each return to TCP there is a pause, first of a minute, then doubled,
 * because paths change within hours.
 *
 * <p>Not thread-safe: confined to the event loop of its session.
 */
public final class TransportTuner {
  /** The next step. */
  public enum Step {
    STAY,
    /** Check whether the server answers over UDP; {@link #reached} or {@link #unreachable}. */
    ASK,
    TO_UDP,
    TO_TCP
  }

  /** The interval between calls of {@link #look}. */
  public static final long LOOK_NANOS = StartOfUdp.LOOK_NANOS;

  /** On shorter paths TCP repairs a loss before its window matters. */
  private static final long LEAST_ROUND_TRIP_MICROS = 2000;

  private static final double GAIN = 1.15;
  private static final double HELD_BACK = 0.5;
  private static final double SETTLING_SECONDS = 2;
  private static final double MEASURED_SECONDS = 3;
  private static final double ROUND_TRIPS = 8;
  private static final double SILENT_SECONDS = 2;

  /**
   * The silence that ends a trial; shorter ones may be a sender without data, for example at the
   * end of a file.
   */
  private static final double QUIET_SECONDS = 6;

  private static final double SLOW_SECONDS = 5;
  private static final Duration FIRST_PAUSE = Duration.ofMinutes(1);
  private static final Duration LAST_PAUSE = Duration.ofMinutes(16);

  /** The fill of the sender's memory below which it waits for its disks. */
  private static final double HAS_DATA = 0.2;

  private enum State {
    TCP,
    ASKING,
    TRIAL,
    UDP,
    OVER
  }

  private State state = State.TCP;
  private Sample before;
  private boolean hasMoved;
  private boolean isMixed;
  private double inTrialSeconds;
  private double silentSeconds;
  private double quietSeconds;
  private double slowSeconds;
  private final Backoff pauses = new Backoff(FIRST_PAUSE, LAST_PAUSE);
  private double pauseSeconds;
  private Sample measured;
  private Sample last;

  /** The start of UDP in a trial whose streams have moved. */
  private StartOfUdp start;

  private double startSeconds;
  private boolean hasStarted;

  private String reason = "";

  /** Records that the server answers over UDP. */
  public Step reached() {
    if (state != State.ASKING) {
      return Step.STAY;
    }
    hasMoved = false;
    inTrialSeconds = 0;
    silentSeconds = 0;
    quietSeconds = 0;
    slowSeconds = 0;
    measured = null;
    last = before;
    go(
        State.TRIAL,
        String.format(
            Locale.US,
            "data goes over UDP to try it: TCP carries %s over a round trip of %.0f ms with %.3f %%"
                + " sent again, limited by %s",
            NumberText.rate(before.rate()),
            before.roundTripMicros() / 1000.0,
            before.loss() * 100,
            Bottleneck.of(before).text()));
    return Step.TO_UDP;
  }

  /**
   * Records that the server does not answer over UDP, or no longer.
   *
   * @param why for display
   */
  public Step unreachable(String why) {
    if (usesUdp()) {
      return back(why);
    }
    if (state == State.ASKING) {
      pause();
      go(State.TCP, "data stays on TCP: " + why);
    }
    return Step.STAY;
  }

  /**
   * Records that data cannot use UDP in this session.
   *
   * @param why for display
   */
  public Step impossible(String why) {
    if (state == State.OVER) {
      return Step.STAY;
    }
    boolean wasUsed = usesUdp();
    go(State.OVER, "data stays on TCP: " + why);
    return wasUsed ? Step.TO_TCP : Step.STAY;
  }

  /** Whether data uses UDP now. */
  public boolean usesUdp() {
    return state == State.TRIAL || state == State.UDP;
  }

  /**
   * Records that all streams use UDP from now on.
   *
   * @param arrivedBytes over UDP until now
   * @return whether {@link #look} must be called repeatedly
   */
  public boolean moved(long arrivedBytes) {
    if (state != State.TRIAL || hasMoved) {
      return false;
    }
    hasMoved = true;
    isMixed = true;
    hasStarted = false;
    double roundTripSeconds = before.roundTripMicros() / 1e6;
    start = new StartOfUdp(before.rate(), roundTripSeconds, before.streams(), arrivedBytes);
    startSeconds = Math.max(SETTLING_SECONDS, ROUND_TRIPS * roundTripSeconds);
    return true;
  }

  /**
   * Checks the bytes received over UDP, every {@link #LOOK_NANOS} after {@link #moved}.
   *
   * @param arrivedBytes over UDP until now
   */
  public Step look(long arrivedBytes) {
    if (!isStarting()) {
      return Step.STAY;
    }
    long tooFew = start.tooFew(arrivedBytes);
    if (tooFew >= 0 && isWaiting(last)) {
      return back(
          "only %s arrived over UDP in half a second, while TCP carries %s"
              .formatted(new ByteSize(tooFew), NumberText.rate(before.rate())));
    }
    hasStarted = start.seconds() >= startSeconds;
    return Step.STAY;
  }

  /** Whether {@link #look} must still be called. */
  public boolean isStarting() {
    return state == State.TRIAL && hasMoved && !hasStarted;
  }

  /** The reasons for decisions since the last call, for display; empty for none. */
  public String takeReason() {
    String taken = reason;
    reason = "";
    return taken;
  }

  /** Adds a sample. Returns the next step. */
  public Step next(Sample sample) {
    last = sample;
    return switch (state) {
      case TCP -> onTcp(sample);
      case ASKING, OVER -> Step.STAY;
      case TRIAL -> onTrial(sample);
      case UDP -> onUdp(sample);
    };
  }

  private Step onTcp(Sample sample) {
    pauseSeconds -= sample.seconds();
    Bottleneck limit = Bottleneck.of(sample);
    boolean canWin = limit == Bottleneck.LOSS || limit.isOfOneStream();
    if (pauseSeconds > 0
        || !canWin
        || sample.bytes() == 0
        || !isWaiting(sample)
        || sample.leastRoundTripMicros() < LEAST_ROUND_TRIP_MICROS) {
      return Step.STAY;
    }
    before = sample;
    state = State.ASKING;
    return Step.ASK;
  }

  private Step onTrial(Sample sample) {
    if (isQuiet(sample)) {
      return back("over UDP nothing arrives");
    }
    if (!hasMoved || isMixed) {
      isMixed = !hasMoved;
      return Step.STAY; // a part of it was on TCP
    }
    inTrialSeconds += sample.seconds();
    double roundTrips = ROUND_TRIPS * sample.roundTripMicros() / 1e6;
    boolean tells = isWaiting(sample) || sample.rate() >= GAIN * before.rate();
    if (!tells || inTrialSeconds <= Math.max(SETTLING_SECONDS, roundTrips)) {
      return Step.STAY; // where the disks are slow nothing is learned of the path
    }
    measured = measured == null ? sample : measured.and(sample);
    if (measured.seconds() < Math.max(MEASURED_SECONDS, roundTrips) - 1e-6) {
      return Step.STAY;
    }
    String found = rates(measured);
    if (measured.rate() < GAIN * before.rate()) {
      return back("it carried " + found);
    }
    go(State.UDP, "data stays on UDP: it carried " + found);
    return Step.STAY;
  }

  private Step onUdp(Sample sample) {
    silentSeconds = sample.bytes() == 0 && isWaiting(sample) ? silentSeconds + sample.seconds() : 0;
    if (silentSeconds >= SILENT_SECONDS || isQuiet(sample)) {
      return back("no data arrives over UDP any more");
    }
    boolean slow =
        isWaiting(sample)
            && Bottleneck.of(sample).isNetwork()
            && sample.rate() < HELD_BACK * before.rate();
    slowSeconds = slow ? slowSeconds + sample.seconds() : 0;
    return slowSeconds >= SLOW_SECONDS
        ? back("for %.0f s it carried only %s".formatted(slowSeconds, rates(sample)))
        : Step.STAY;
  }

  private String rates(Sample overUdp) {
    return "%s over UDP, %s over TCP"
        .formatted(NumberText.rate(overUdp.rate()), NumberText.rate(before.rate()));
  }

  private boolean isQuiet(Sample sample) {
    quietSeconds = sample.bytes() == 0 ? quietSeconds + sample.seconds() : 0;
    return quietSeconds >= QUIET_SECONDS;
  }

  /** Whether the sender has data that waits for the network. */
  private static boolean isWaiting(Sample sample) {
    return sample.senderFill() >= HAS_DATA && !sample.rateLimited();
  }

  private Step back(String why) {
    pause();
    go(State.TCP, "data goes back to TCP: " + why);
    return Step.TO_TCP;
  }

  private void pause() {
    pauseSeconds = pauses.nextNanos() / 1e9;
  }

  private void go(State next, String why) {
    state = next;
    reason = reason.isEmpty() ? why : reason + "; " + why;
  }
}
