package io.fdt.storage.local.os;

import io.fdt.core.model.Range;
import io.fdt.storage.posix.Errno;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/** Finds the holes of an open file. Confined to one thread. */
public final class HoleFinder {
  private final long size;
  private final int most;

  /** The smallest first. */
  private final PriorityQueue<Range> found =
      new PriorityQueue<>(Comparator.comparingLong(Range::length));

  /**
   * @param most beyond it, the smallest holes count as data
   */
  public HoleFinder(long size, int most) {
    this.size = size;
    this.most = most;
  }

  /**
   * Finds the holes; returns 0 or a negative error number. A file system without support reports
   * data only.
   */
  public int find(int descriptor) {
    long at = 0;
    while (at < size) {
      long data = Syscalls.seekData(descriptor, at);
      if (data == -Errno.ENXIO) {
        add(at, size);
        return 0;
      }
      if (data < 0) {
        return data == -Errno.EINVAL ? 0 : Math.toIntExact(data);
      }
      add(at, Math.min(size, data));
      if (data >= size) {
        return 0;
      }
      long hole = Syscalls.seekHole(descriptor, data);
      if (hole < 0) {
        return hole == -Errno.ENXIO ? 0 : Math.toIntExact(hole);
      }
      at = hole;
    }
    return 0;
  }

  private void add(long start, long end) {
    if (start < end) {
      found.add(new Range(start, end));
      if (found.size() > most) {
        found.poll();
      }
    }
  }

  /** The holes, in order. */
  public List<Range> found() {
    List<Range> holes = new ArrayList<>(found);
    holes.sort(Comparator.comparingLong(Range::start));
    return holes;
  }
}
