package io.fdt.core.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A set of bytes of one file, or of packets of a stream, as the minimal number of ranges, sorted
 * and disjoint.
 *
 * <pre>
 *   starts:  s0        s1    s2
 *            |=====)   |==)  |==========)
 *   ends:          e0     e1            e2          s0 &lt; e0 &lt; s1 &lt; e1 &lt; s2 &lt; e2
 * </pre>
 *
 * <p>Adding at the end, where most blocks arrive, costs a comparison; elsewhere, adding and
 * removing cost a binary search and a move of the ranges behind. Memory: 16 bytes per range. Not
 * thread-safe.
 */
public final class RangeSet {
  private static final int FIRST_CAPACITY = 4;
  private static final long[] NONE = {};

  private long[] starts = NONE;
  private long[] ends = NONE;
  private int count;
  private long covered;

  /**
   * Adds the bytes from {@code start} up to, but not including, {@code end}.
   *
   * @return how many of them were not in the set before
   * @throws IllegalArgumentException unless 0 &lt;= start &lt;= end
   */
  public long add(long start, long end) {
    check(start, end);
    if (start == end) {
      return 0;
    }
    int first = firstEndingAtOrAfter(start);
    int behind = first;
    long known = 0;
    long mergedStart = start;
    long mergedEnd = end;
    while (behind < count && starts[behind] <= end) {
      known += Math.max(0, Math.min(ends[behind], end) - Math.max(starts[behind], start));
      mergedStart = Math.min(mergedStart, starts[behind]);
      mergedEnd = Math.max(mergedEnd, ends[behind]);
      behind++;
    }
    replace(first, behind, 1);
    set(first, mergedStart, mergedEnd);
    long added = end - start - known;
    covered += added;
    return added;
  }

  /**
   * Removes the bytes from {@code start} up to, but not including, {@code end}.
   *
   * @return how many of them were in the set before
   * @throws IllegalArgumentException unless 0 &lt;= start &lt;= end
   */
  public long remove(long start, long end) {
    check(start, end);
    int first = firstEndingAtOrAfter(start + 1);
    int behind = first;
    long removed = 0;
    while (behind < count && starts[behind] < end) {
      removed += Math.min(ends[behind], end) - Math.max(starts[behind], start);
      behind++;
    }
    if (first == behind || start == end) {
      return 0;
    }
    long from = starts[first];
    long until = ends[behind - 1];
    boolean keepsFront = from < start;
    boolean keepsBack = end < until;
    replace(first, behind, (keepsFront ? 1 : 0) + (keepsBack ? 1 : 0));
    if (keepsFront) {
      set(first, from, start);
    }
    if (keepsBack) {
      set(keepsFront ? first + 1 : first, end, until);
    }
    covered -= removed;
    return removed;
  }

  /** Whether every byte of [start, end) is in the set; true for an empty range. */
  public boolean contains(long start, long end) {
    check(start, end);
    if (start == end) {
      return true;
    }
    int index = firstEndingAtOrAfter(end);
    return index < count && starts[index] <= start;
  }

  /** Whether any byte of [start, end) is in the set. */
  public boolean intersects(long start, long end) {
    check(start, end);
    if (start == end) {
      return false;
    }
    int index = firstEndingAtOrAfter(start + 1);
    return index < count && starts[index] < end;
  }

  /** Adds the bytes of [start, end) that are in this set to another. */
  public void copyTo(RangeSet other, long start, long end) {
    for (int i = firstEndingAtOrAfter(start + 1); i < count && starts[i] < end; i++) {
      other.add(Math.max(start, starts[i]), Math.min(end, ends[i]));
    }
  }

  /** The number of bytes in the set. */
  public long covered() {
    return covered;
  }

  /** The length of the gapless range at the start of the file. */
  public long prefix() {
    return count == 0 || starts[0] > 0 ? 0 : ends[0];
  }

  /** The bytes of a file of this size that are not in the set, in order. A snapshot. */
  public List<Range> missing(long size) {
    check(0, size);
    List<Range> gaps = new ArrayList<>();
    long from = 0;
    for (int i = 0; i < count && from < size; i++) {
      if (starts[i] > from) {
        gaps.add(new Range(from, Math.min(starts[i], size)));
      }
      from = ends[i];
    }
    if (from < size) {
      gaps.add(new Range(from, size));
    }
    return gaps;
  }

  /** The ranges, in order, with a gap between each and the next. A snapshot. */
  public List<Range> ranges() {
    List<Range> ranges = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      ranges.add(new Range(starts[i], ends[i]));
    }
    return ranges;
  }

  /** The number of ranges. */
  public int count() {
    return count;
  }

  public boolean isEmpty() {
    return count == 0;
  }

  /** The start of a range, counted from 0. */
  public long start(int range) {
    return starts[range];
  }

  /** The end of a range. */
  public long end(int range) {
    return ends[range];
  }

  @Override
  public String toString() {
    return ranges().toString();
  }

  /** The first range that ends at {@code offset} or after it; {@link #count} when none does. */
  private int firstEndingAtOrAfter(long offset) {
    if (count == 0 || ends[count - 1] < offset) {
      return count;
    }
    if (count == 1 || ends[count - 2] < offset) {
      return count - 1;
    }
    int found = Arrays.binarySearch(ends, 0, count, offset);
    return found >= 0 ? found : -found - 1;
  }

  /** Replaces the slots from {@code first} up to {@code behind} by {@code fresh} free ones. */
  private void replace(int first, int behind, int fresh) {
    int newCount = count - (behind - first) + fresh;
    if (newCount > starts.length) {
      int capacity = Math.max(FIRST_CAPACITY, Math.multiplyExact(count, 2));
      starts = Arrays.copyOf(starts, capacity);
      ends = Arrays.copyOf(ends, capacity);
    }
    if (behind != first + fresh) {
      System.arraycopy(starts, behind, starts, first + fresh, count - behind);
      System.arraycopy(ends, behind, ends, first + fresh, count - behind);
    }
    count = newCount;
  }

  private void set(int range, long start, long end) {
    starts[range] = start;
    ends[range] = end;
  }

  private static void check(long start, long end) {
    if (start < 0 || end < start) {
      throw new IllegalArgumentException("range [" + start + ", " + end + ")");
    }
  }
}
