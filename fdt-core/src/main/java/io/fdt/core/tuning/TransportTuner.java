package io.fdt.core.tuning;

import io.fdt.core.unit.BitRate;
import java.util.Locale;

/**
 * Moves data from TCP to UDP where that carries more. A search in time that the samples tell; TCP's
 * own numbers decide whether there is something to win.
 *
 * <pre>
 *   TCP: losses or a window of the system limit, the path is long, a server answers over UDP ---> TRIAL
 *   TRIAL: carries 15 % more ---> UDP, else back to TCP, for good
 *   UDP: carries nothing for two seconds ---> back to TCP, for good
 * </pre>
 *
 * A trial that carries less than half of what TCP did ends after a second: something between holds
 * UDP back.
 *
 * <p>Not thread-safe: confined to the event loop of its session.
 */
public final class TransportTuner {
  /** What is to be done now. */
  public enum Step {
    STAY,
    TO_UDP,
    TO_TCP
  }

  /** On shorter paths TCP repairs a loss before its window matters. */
  private static final long LEAST_ROUND_TRIP_MICROS = 2000;

  private static final double GAIN = 1.15;
  private static final double HELD_BACK = 0.5;
  private static final double FIRST_LOOK_SECONDS = 1;
  private static final double SETTLING_SECONDS = 2;
  private static final double MEASURED_SECONDS = 3;
  private static final double ROUND_TRIPS = 8;
  private static final double SILENT_SECONDS = 2;

  /** A sender with less than that waits for its disks. */
  private static final double HAS_DATA = 0.2;

  private enum State {
    TCP,
    TRIAL,
    UDP,
    OVER
  }

  private State state = State.TCP;
  private boolean answers;
  private double rateBefore;
  private double inTrialSeconds;
  private double silentSeconds;
  private Sample measured;
  private String reason = "";

  /** The server answers over UDP. */
  public void reached() {
    answers = true;
  }

  /**
   * The server does not answer over UDP, or data cannot go over it.
   *
   * @param why for people
   */
  public Step unreachable(String why) {
    boolean wasUsed = usesUdp();
    go(State.OVER, "data stays on TCP: " + why);
    return wasUsed ? Step.TO_TCP : Step.STAY;
  }

  /** Whether data goes over UDP now. */
  public boolean usesUdp() {
    return state == State.TRIAL || state == State.UDP;
  }

  /** Why the last decision was made, once, for people; empty for no decision since. */
  public String takeReason() {
    String taken = reason;
    reason = "";
    return taken;
  }

  /** Takes in what happened since the last time. */
  public Step next(Sample sample) {
    return switch (state) {
      case TCP -> onTcp(sample);
      case TRIAL -> onTrial(sample);
      case UDP -> onUdp(sample);
      case OVER -> Step.STAY;
    };
  }

  private Step onTcp(Sample sample) {
    Bottleneck limit = Bottleneck.of(sample);
    boolean canWin = limit == Bottleneck.LOSS || limit.isOfOneStream();
    if (!answers
        || !canWin
        || sample.bytes() == 0
        || sample.leastRoundTripMicros() < LEAST_ROUND_TRIP_MICROS) {
      return Step.STAY;
    }
    rateBefore = sample.rate();
    inTrialSeconds = 0;
    measured = null;
    go(
        State.TRIAL,
        String.format(
            Locale.US,
            "data goes over UDP to try it: TCP carries %s over a round trip of %.0f ms with %.3f %%"
                + " sent again, limited by %s",
            rate(rateBefore),
            sample.roundTripMicros() / 1000.0,
            sample.loss() * 100,
            limit.text()));
    return Step.TO_UDP;
  }

  private Step onTrial(Sample sample) {
    inTrialSeconds += sample.seconds();
    double roundTrips = ROUND_TRIPS * sample.roundTripMicros() / 1e6;
    boolean looked = inTrialSeconds >= Math.max(FIRST_LOOK_SECONDS, roundTrips);
    if (looked && isWaiting(sample) && sample.rate() < HELD_BACK * rateBefore) {
      return back("over UDP only " + rate(sample.rate()) + " arrived: something holds it back");
    }
    if (inTrialSeconds <= Math.max(SETTLING_SECONDS, roundTrips)) {
      return Step.STAY;
    }
    measured = measured == null ? sample : measured.and(sample);
    if (measured.seconds() < Math.max(MEASURED_SECONDS, roundTrips) - 1e-6) {
      return Step.STAY;
    }
    String found = "%s over UDP, %s over TCP".formatted(rate(measured.rate()), rate(rateBefore));
    if (measured.rate() < GAIN * rateBefore) {
      return back("it carried " + found);
    }
    silentSeconds = 0;
    go(State.UDP, "data stays on UDP: it carried " + found);
    return Step.STAY;
  }

  private Step onUdp(Sample sample) {
    silentSeconds = sample.bytes() == 0 && isWaiting(sample) ? silentSeconds + sample.seconds() : 0;
    return silentSeconds >= SILENT_SECONDS ? back("UDP carries nothing any more") : Step.STAY;
  }

  /** Whether the sender has data that waits for the network. */
  private static boolean isWaiting(Sample sample) {
    return sample.senderFill() >= HAS_DATA && !sample.rateLimited();
  }

  private Step back(String why) {
    go(State.OVER, "data goes back to TCP: " + why);
    return Step.TO_TCP;
  }

  private static String rate(double bytesPerSecond) {
    return BitRate.formatBits(bytesPerSecond);
  }

  private void go(State next, String why) {
    state = next;
    reason = why;
  }
}
