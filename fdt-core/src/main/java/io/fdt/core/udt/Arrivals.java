package io.fdt.core.udt;

import java.util.Arrays;

/**
 * How fast packets come, as UDT measures it: the median of the last intervals, without those that
 * are eight times longer or shorter. The link's rate comes from pairs: every sixteenth packet
 * leaves at once with its successor. Not thread-safe.
 */
final class Arrivals {
  private static final int INTERVALS = 16;
  private static final int PAIRS = 64;
  private static final int PAIR_MASK = 0xF;

  private final long[] intervals = new long[INTERVALS];
  private final long[] pairs = new long[PAIRS];
  private int interval;
  private int pair;
  private long lastMicros = -1;
  private long pairMicros;
  private long pairIndex = -1;

  Arrivals() {
    Arrays.fill(intervals, 1_000_000);
    Arrays.fill(pairs, 1000);
  }

  void packet(long now, long index) {
    if (lastMicros >= 0) {
      intervals[interval++ % INTERVALS] = Math.max(1, now - lastMicros);
    }
    lastMicros = now;
    if ((index & PAIR_MASK) == 0) {
      pairMicros = now;
      pairIndex = index;
    } else if (index == pairIndex + 1) {
      pairs[pair++ % PAIRS] = Math.max(1, now - pairMicros);
    }
  }

  /** Packets per second; 0 when fewer than half of the intervals are alike. */
  int rate() {
    return perSecond(intervals, INTERVALS / 2);
  }

  /** Packets per second that the narrowest link carries. */
  int linkRate() {
    return Math.max(1, perSecond(pairs, 0));
  }

  private static int perSecond(long[] values, int least) {
    long[] sorted = values.clone();
    Arrays.sort(sorted);
    long median = sorted[sorted.length / 2];
    long sum = 0;
    int count = 0;
    for (long value : sorted) {
      if (value < median * 8 && value > median / 8) {
        sum += value;
        count++;
      }
    }
    return count > least ? (int) Math.ceil(1e6 * count / sum) : 0;
  }
}
