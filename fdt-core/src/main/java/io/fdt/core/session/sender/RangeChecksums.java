package io.fdt.core.session.sender;

import io.fdt.core.model.Range;
import io.fdt.core.wire.Crc32cCombine;
import java.util.ArrayList;
import java.util.List;

/**
 * The CRC32C of each of several ranges of one file, computed from blocks in any order. Not
 * thread-safe.
 */
final class RangeChecksums {
  /** In order, not adjacent. */
  private final List<Range> ranges;

  private final int[] crcs;
  private long missing;

  RangeChecksums(List<Range> ranges) {
    this.ranges = List.copyOf(ranges);
    this.crcs = new int[ranges.size()];
    ranges.forEach(range -> missing += range.length());
  }

  /** Adds a block of one of the ranges, each once. */
  void add(long offset, int length, int crc) {
    int at = indexOf(offset);
    crcs[at] ^= Crc32cCombine.shift(crc, ranges.get(at).end() - offset - length);
    missing -= length;
  }

  private int indexOf(long offset) {
    int low = 0;
    int high = ranges.size() - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (ranges.get(middle).start() <= offset) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  boolean isComplete() {
    return missing == 0;
  }

  /** The checksums in the order of the ranges. */
  List<Integer> values() {
    List<Integer> values = new ArrayList<>(crcs.length);
    for (int crc : crcs) {
      values.add(crc);
    }
    return values;
  }
}
