package io.fdt.plan;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The order in which a worker tries units: its own share, the largest first, then those of the
 * others, starting at different positions. Pure.
 */
public final class WorkOrder {
  private WorkOrder() {}

  /**
   * All units.
   *
   * @param bytes of each unit
   * @param index of the worker, 0 or more; at or beyond the count, the start is arbitrary
   * @param count of the workers, 1 or more
   */
  public static int[] of(long[] bytes, int index, int count) {
    List<Integer> own = new ArrayList<>();
    List<Integer> others = new ArrayList<>();
    for (int unit = 0; unit < bytes.length; unit++) {
      (unit % count == index ? own : others).add(unit);
    }
    Comparator<Integer> largestFirst = Comparator.comparingLong(unit -> -bytes[unit]);
    own.sort(largestFirst);
    others.sort(largestFirst);
    int[] order = new int[bytes.length];
    int at = 0;
    for (int unit : own) {
      order[at++] = unit;
    }
    int start = (int) ((long) others.size() * (index % count) / count);
    for (int i = 0; i < others.size(); i++) {
      order[at++] = others.get((start + i) % others.size());
    }
    return order;
  }
}
