package io.fdt.core.udt;

import io.fdt.core.udt.packet.Packets;

/**
 * The rate control of UDT: additive increase by what the link seems to have left, decrease by a
 * ninth where packets were lost (draft-gg-udt-03, section 6).
 */
final class UdtRateControl implements RateControl {
  /** Two batches: peers with this control say nothing of queues. */
  private static final long CATCH_UP_MICROS = 2000;

  private static final double SYN_MICROS = UdtConnection.SYN_MICROS;
  private static final int FIRST_WINDOW = 16;
  private static final double DECREASE = 1.125;
  private static final double LEAST_INCREASE = 0.01;
  private static final int MOST_DECREASES = 5;

  private double period = 1;
  private double window = FIRST_WINDOW;
  private boolean slowStart = true;
  private boolean hadLoss;
  private long lastAcknowledged;
  private long updatedMicros;
  private long decreasedAt = -1;
  private double periodAtDecrease = 1;
  private int reports;
  private double meanReports;
  private int decreases;
  private int threshold = 1;
  private long random;

  /**
   * @param seed decides which reports of one congestion decrease the rate again
   */
  UdtRateControl(long seed) {
    this.random = seed * 2 + 1;
  }

  @Override
  public void acknowledged(Progress progress) {
    if (progress.nowMicros - updatedMicros < SYN_MICROS) {
      return;
    }
    updatedMicros = progress.nowMicros;
    double synAndRoundTrip = progress.roundTripMicros + SYN_MICROS;
    if (slowStart) {
      window += progress.acknowledged - lastAcknowledged;
      lastAcknowledged = progress.acknowledged;
      if (window > UdtSettings.MOST_WINDOW) {
        leaveSlowStart(progress);
      }
      return;
    }
    window = progress.arrivalRate / 1e6 * synAndRoundTrip + FIRST_WINDOW;
    if (hadLoss) {
      hadLoss = false;
      return;
    }
    double left = progress.linkRate - 1e6 / period;
    if (period > periodAtDecrease && progress.linkRate / 9.0 < left) {
      left = progress.linkRate / 9.0;
    }
    double increase = LEAST_INCREASE;
    if (left > 0) {
      double segment = progress.payload + (double) Packets.HEADER + Packets.IP_AND_UDP;
      double power = Math.pow(10, Math.ceil(Math.log10(left * segment * 8)));
      increase = Math.max(LEAST_INCREASE, power * 0.000_001_5 / segment);
    }
    period = period * SYN_MICROS / (period * increase + SYN_MICROS);
  }

  private void leaveSlowStart(Progress progress) {
    slowStart = false;
    period =
        progress.arrivalRate > 0
            ? 1e6 / progress.arrivalRate
            : (progress.roundTripMicros + SYN_MICROS) / window;
  }

  @Override
  public void lost(Progress progress, long first, long packets) {
    if (slowStart) {
      leaveSlowStart(progress);
      if (progress.arrivalRate > 0) {
        return;
      }
    }
    hadLoss = true;
    if (first > decreasedAt) {
      periodAtDecrease = period;
      meanReports = Math.ceil(meanReports * 0.875 + reports * 0.125);
      reports = 1;
      decreases = 1;
      threshold = 1 + nextBelow((int) Math.max(1, meanReports));
      decrease(progress);
    } else if (decreases < MOST_DECREASES && ++reports % threshold == 0) {
      decreases++;
      decrease(progress);
    }
  }

  private void decrease(Progress progress) {
    period *= DECREASE;
    decreasedAt = progress.sent - 1;
  }

  private int nextBelow(int bound) {
    random = random * 6_364_136_223_846_793_005L + 1_442_695_040_888_963_407L;
    return (int) ((random >>> 33) % bound);
  }

  @Override
  public void timedOut(Progress progress) {
    if (slowStart) {
      leaveSlowStart(progress);
    }
  }

  @Override
  public double periodMicros() {
    return period;
  }

  @Override
  public long window() {
    return (long) window;
  }

  @Override
  public long catchUpMicros() {
    return CATCH_UP_MICROS;
  }

  @Override
  public String state() {
    return slowStart ? "start" : "steady";
  }
}
