package io.fdt.core.session.sender;

/** The rate per nanosecond over the last one to two periods. Pure; not thread-safe. */
final class RecentRate {
  private final long periodNanos;
  private boolean hasBegun;
  private long startNanos;
  private long earlierNanos;
  private long earlier;
  private long current;

  RecentRate(long periodNanos) {
    this.periodNanos = periodNanos;
  }

  void add(long amount, long nowNanos) {
    turn(nowNanos);
    current += amount;
  }

  /** The rate; 0 without bytes. */
  double perNano(long nowNanos) {
    turn(nowNanos);
    return (earlier + current) / (double) Math.max(1, nowNanos - startNanos + earlierNanos);
  }

  private void turn(long nowNanos) {
    long age = nowNanos - startNanos;
    if (hasBegun && age < periodNanos) {
      return;
    }
    boolean goesOn = hasBegun && age < 2 * periodNanos;
    earlier = goesOn ? current : 0;
    earlierNanos = goesOn ? age : 0;
    current = 0;
    startNanos = nowNanos;
    hasBegun = true;
  }
}
