package io.fdt.core.receive;

import io.fdt.core.session.Outbox;
import io.fdt.core.tuning.rate.RateSource;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.RateLimit;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;

/**
 * Tells the sender how fast it may be, and does not believe that it is: while more has come than
 * that, its streams are not read.
 *
 * <p>Not thread-safe: confined to the event loop of the session.
 */
final class RateEnforcer {
  /** Tolerance for early bytes: a sender has a clock, timers and a pacer of its own. */
  private static final long TOLERANCE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private static final long LEAST_TOLERANCE = 256 << 10;

  /**
   * For this long after a limit begins or falls, the sender may not know it, and has bytes on the
   * way.
   */
  private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Longest pause after an overrun, plus half the tolerance. */
  private static final long LONGEST_HOLD_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** A rate that held until then; no limit is the highest of all. */
  private record Earlier(long rate, long untilNanos) {}

  private final Backpressure brake;
  private RateSource own = RateSource.NONE;
  private long told;

  /** Limits of the last second, each higher than those after it: the first is the highest. */
  private final ArrayDeque<Earlier> earlier = new ArrayDeque<>();

  private long lastNanos;
  private long lastBytes;
  private long bytesElsewhere;
  private double excess;

  RateEnforcer(Backpressure brake) {
    this.brake = brake;
  }

  /**
   * @param source what this end allows
   * @param known the limit that the sender has already, bytes per second; 0 for none
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
    own.moved(nowNanos, wireBytes + bytesElsewhere);
    check(nowNanos, wireBytes);
    tell(nowNanos, outbox);
  }

  private void tell(long nowNanos, Outbox outbox) {
    long rate = own.bytesPerSecond();
    if (rate == told) {
      return;
    }
    long before = orHighest(told);
    while (!earlier.isEmpty() && earlier.peekLast().rate() <= before) {
      earlier.removeLast();
    }
    earlier.addLast(new Earlier(before, nowNanos));
    told = rate;
    outbox.send(Control.newBuilder().setRateLimit(RateLimit.newBuilder().setBytesPerSecond(rate)));
  }

  private static long orHighest(long rate) {
    return rate == 0 ? Long.MAX_VALUE : rate;
  }

  /** The highest rate that the sender may think it has, bytes per second. */
  private long allowed(long nowNanos) {
    while (!earlier.isEmpty() && nowNanos - earlier.peekFirst().untilNanos() >= GRACE_NANOS) {
      earlier.removeFirst();
    }
    return earlier.isEmpty() ? told : Math.max(told, earlier.peekFirst().rate());
  }

  /** Adds bytes that came to another machine of this session. */
  void cameElsewhere(long bytes) {
    bytesElsewhere += bytes;
  }

  /** Whether there is anything to hold. */
  boolean isLimited() {
    return told != 0;
  }

  /**
   * Holds the sender back when it was too fast, and lets it go again.
   *
   * @param wireBytes that have come here so far
   */
  void check(long nowNanos, long wireBytes) {
    long all = wireBytes + bytesElsewhere;
    long nanos = nowNanos - lastNanos;
    long bytes = all - lastBytes;
    lastNanos = nowNanos;
    lastBytes = all;
    if (told == 0) {
      excess = 0;
      brake.hold(false);
      return;
    }
    double tolerance = Math.max(LEAST_TOLERANCE, told * (TOLERANCE_NANOS / 1e9));
    double most = tolerance + told * (LONGEST_HOLD_NANOS / 1e9);
    excess = Math.min(most, Math.max(0, excess + bytes - allowed(nowNanos) * (nanos / 1e9)));
    if (excess > tolerance) {
      brake.hold(true);
    } else if (excess <= tolerance - told * (TOLERANCE_NANOS / 2e9)) {
      brake.hold(false);
    }
  }
}
