package io.fdt.core.receive;

import io.fdt.core.session.Outbox;
import io.fdt.core.tuning.rate.RateSource;
import io.fdt.core.wire.control.Control;
import io.fdt.core.wire.control.RateLimit;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;

/**
 * Sends the rate limit to the sender and enforces it: while more bytes have arrived than allowed,
 * the streams are not read.
 *
 * <p>Not thread-safe: confined to the event loop of the session.
 */
final class RateEnforcer {
  /** Tolerance for early bytes, because the clock, timers and pacer of the sender differ. */
  private static final long TOLERANCE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private static final long LEAST_TOLERANCE = 256 << 10;

  /**
   * The time after a new or lower limit in which the sender may not know it yet, or has bytes in
   * flight.
   */
  private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Longest pause after an overrun, plus half the tolerance. */
  private static final long LONGEST_HOLD_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** A limit that was valid until a time; no limit counts as the highest. */
  private record Earlier(long rate, long untilNanos) {}

  private final Backpressure brake;
  private RateSource own = RateSource.NONE;
  private long told;

  /** The limits of the last second, in descending order. */
  private final ArrayDeque<Earlier> earlier = new ArrayDeque<>();

  private long lastNanos;
  private long lastBytes;
  private long bytesElsewhere;
  private double excess;

  RateEnforcer(Backpressure brake) {
    this.brake = brake;
  }

  /**
   * @param source the limit of this end
   * @param known the limit that the sender knows already, bytes per second; 0 for none
   */
  void limit(RateSource source, long known) {
    own = source;
    told = known;
  }

  /** Starts with the session. */
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

  /** The highest limit that the sender may still assume, bytes per second. */
  private long allowed(long nowNanos) {
    while (!earlier.isEmpty() && nowNanos - earlier.peekFirst().untilNanos() >= GRACE_NANOS) {
      earlier.removeFirst();
    }
    return earlier.isEmpty() ? told : Math.max(told, earlier.peekFirst().rate());
  }

  /** Adds bytes received by another machine of this session. */
  void cameElsewhere(long bytes) {
    bytesElsewhere += bytes;
  }

  /** Whether there is a limit to enforce. */
  boolean isLimited() {
    return told != 0;
  }

  /**
   * Pauses a sender that was too fast, and resumes it later.
   *
   * @param wireBytes received here so far
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
