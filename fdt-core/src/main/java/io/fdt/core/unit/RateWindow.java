package io.fdt.core.unit;

import java.time.Duration;
import java.util.ArrayDeque;

/** The rate over the last seconds. Not thread-safe; the time is an argument. */
public final class RateWindow {
  private record Sample(long nanos, long bytes) {}

  private final long windowNanos;
  private final ArrayDeque<Sample> samples = new ArrayDeque<>();

  public RateWindow(Duration window) {
    this.windowNanos = window.toNanos();
  }

  /** Adds the total at one moment. */
  public void add(long nowNanos, long bytes) {
    samples.addLast(new Sample(nowNanos, bytes));
    // The oldest sample that stays is the last one at or before the start of the window.
    while (samples.size() > 2) {
      Sample oldest = samples.removeFirst();
      if (nowNanos - samples.getFirst().nanos() < windowNanos) {
        samples.addFirst(oldest);
        return;
      }
    }
  }

  /** The rate over the window; 0 before there are two samples. */
  public double bytesPerSecond() {
    if (samples.size() < 2) {
      return 0;
    }
    Sample first = samples.getFirst();
    Sample last = samples.getLast();
    long nanos = last.nanos() - first.nanos();
    return nanos <= 0 ? 0 : (last.bytes() - first.bytes()) * 1e9 / nanos;
  }
}
