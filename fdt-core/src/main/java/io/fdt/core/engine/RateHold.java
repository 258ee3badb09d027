package io.fdt.core.engine;

import io.fdt.core.session.Outbox;
import io.fdt.core.tuning.RateSource;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.RateLimit;
import java.util.concurrent.TimeUnit;

/**
 * Tells the sender how fast it may be, and does not believe that it is: while more has come than
 * that, its streams are not read.
 *
 * <p>Not thread-safe: confined to the event loop of the session.
 */
final class RateHold {
  /** What may come too early: a sender has a clock, timers and a pacer of its own. */
  private static final long TOLERANCE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private static final long LEAST_TOLERANCE = 256 << 10;

  /** So long after a limit has become lower the sender may not know, and has bytes on the way. */
  private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Brake brake;
  private RateSource own = RateSource.NONE;
  private long told;
  private long graceRate;
  private long graceEndNanos;
  private long lastNanos;
  private long lastBytes;
  private double excess;

  RateHold(Brake brake) {
    this.brake = brake;
  }

  /**
   * @param source what this end allows
   * @param known what the sender was told of it already, bytes per second; 0 for no limit
   */
  void limit(RateSource source, long known) {
    own = source;
    told = known;
  }

  /** The session begins. */
  void start(long nowNanos, Outbox outbox) {
    lastNanos = nowNanos;
    tell(nowNanos, outbox);
  }

  void tick(long nowNanos, long wireBytes, Outbox outbox) {
    own.moved(nowNanos, wireBytes);
    check(nowNanos, wireBytes);
    tell(nowNanos, outbox);
  }

  private void tell(long nowNanos, Outbox outbox) {
    long rate = own.bytesPerSecond();
    if (rate == told) {
      return;
    }
    if (rate != 0 && told > rate) {
      graceRate = nowNanos - graceEndNanos < 0 ? Math.max(graceRate, told) : told;
      graceEndNanos = nowNanos + GRACE_NANOS;
    }
    told = rate;
    outbox.send(Control.newBuilder().setRateLimit(RateLimit.newBuilder().setBytesPerSecond(rate)));
  }

  /** Whether there is anything to hold. */
  boolean isLimited() {
    return told != 0;
  }

  /**
   * Holds the sender back when it was too fast, and lets it go again.
   *
   * @param wireBytes that have come so far
   */
  void check(long nowNanos, long wireBytes) {
    long nanos = nowNanos - lastNanos;
    long bytes = wireBytes - lastBytes;
    lastNanos = nowNanos;
    lastBytes = wireBytes;
    if (told == 0) {
      excess = 0;
      brake.hold(false);
      return;
    }
    long rate = nowNanos - graceEndNanos < 0 ? Math.max(told, graceRate) : told;
    excess = Math.max(0, excess + bytes - rate * (nanos / 1e9));
    double tolerance = Math.max(LEAST_TOLERANCE, told * (TOLERANCE_NANOS / 1e9));
    if (excess > tolerance) {
      brake.hold(true);
    } else if (excess <= tolerance / 2) {
      brake.hold(false);
    }
  }
}
