package io.fdt.core.udt.packet;

import java.util.Arrays;

/**
 * Packets that are missing, as sorted ranges [from, until) that neither touch nor overlap. Memory:
 * 16 bytes for each range. Not thread-safe.
 */
public final class LossRanges {
  private long[] from = new long[16];
  private long[] until = new long[16];
  private int count;
  private long packets;

  public boolean isEmpty() {
    return count == 0;
  }

  /** Packets in all ranges. */
  public long packets() {
    return packets;
  }

  public int ranges() {
    return count;
  }

  public long from(int range) {
    return from[range];
  }

  public long until(int range) {
    return until[range];
  }

  /** The least one; there must be one. */
  public long first() {
    return from[0];
  }

  /** Adds the packets of a range that are not here yet. Empty ranges are nothing. */
  public void add(long start, long end) {
    if (start >= end) {
      return;
    }
    int low = firstThatEndsAtOrAfter(start);
    int high = low;
    long newFrom = start;
    long newUntil = end;
    while (high < count && from[high] <= end) {
      newFrom = Math.min(newFrom, from[high]);
      newUntil = Math.max(newUntil, until[high]);
      packets -= until[high] - from[high];
      high++;
    }
    replace(low, high, 1);
    from[low] = newFrom;
    until[low] = newUntil;
    packets += newUntil - newFrom;
  }

  /** Whether packets of this range are here. */
  public boolean hasAnyIn(long start, long end) {
    int at = firstThatEndsAtOrAfter(start + 1);
    return at < count && from[at] < end;
  }

  /** Adds the packets of this range that are here to others. */
  public void copyTo(LossRanges others, long start, long end) {
    for (int at = firstThatEndsAtOrAfter(start + 1); at < count && from[at] < end; at++) {
      others.add(Math.max(start, from[at]), Math.min(end, until[at]));
    }
  }

  /** Removes one packet. Returns whether it was here. */
  public boolean remove(long index) {
    int at = firstThatEndsAtOrAfter(index + 1);
    if (at == count || from[at] > index) {
      return false;
    }
    packets--;
    if (from[at] == index) {
      from[at]++;
      if (from[at] == until[at]) {
        replace(at, at + 1, 0);
      }
    } else if (until[at] == index + 1) {
      until[at]--;
    } else {
      long end = until[at];
      until[at] = index;
      replace(at + 1, at + 1, 1);
      from[at + 1] = index + 1;
      until[at + 1] = end;
    }
    return true;
  }

  /** Removes all packets below this one. */
  public void removeBelow(long index) {
    int whole = 0;
    while (whole < count && until[whole] <= index) {
      packets -= until[whole] - from[whole];
      whole++;
    }
    replace(0, whole, 0);
    if (count > 0 && from[0] < index) {
      packets -= index - from[0];
      from[0] = index;
    }
  }

  public void clear() {
    count = 0;
    packets = 0;
  }

  private int firstThatEndsAtOrAfter(long index) {
    int at = Arrays.binarySearch(until, 0, count, index);
    return at >= 0 ? at : -at - 1;
  }

  /** Puts {@code fresh} places where the ranges from low up to, and without, high are. */
  private void replace(int low, int high, int fresh) {
    int newCount = count - (high - low) + fresh;
    if (newCount > from.length) {
      from = Arrays.copyOf(from, 2 * newCount);
      until = Arrays.copyOf(until, 2 * newCount);
    }
    if (high != low + fresh) {
      System.arraycopy(from, high, from, low + fresh, count - high);
      System.arraycopy(until, high, until, low + fresh, count - high);
    }
    count = newCount;
  }
}
