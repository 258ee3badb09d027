package io.fdt.service.run;

import java.util.ArrayList;
import java.util.List;

/**
 * The rate of a task since its attempt began, for a plot. When there are too many points, pairs are
 * merged. Memory: 5 KB at most. Not thread-safe.
 */
final class RateHistory {
  private static final int MOST = 600;
  private static final long FIRST_WIDTH_MILLIS = 500;

  private final long beginMillis;
  private final List<Long> points = new ArrayList<>();
  private long widthMillis = FIRST_WIDTH_MILLIS;
  private long sum;
  private long samples;

  /**
   * An empty history.
   *
   * @param beginMillis since 1970
   */
  RateHistory(long beginMillis) {
    this.beginMillis = beginMillis;
  }

  /** Adds a rate; times before the last one count as the last one. */
  void add(long nowMillis, long bytesPerSecond) {
    long place = Math.max(0, nowMillis - beginMillis) / widthMillis;
    if (place > points.size()) {
      long before = samples == 0 ? last() : sum / samples;
      while (points.size() < place) {
        points.add(before);
        if (points.size() == MOST) {
          halve();
          place /= 2;
        }
      }
      sum = 0;
      samples = 0;
    }
    sum += bytesPerSecond;
    samples++;
  }

  /** The rate is zero from the next point on, until another one is added. */
  void stopped(long nowMillis) {
    add(nowMillis + widthMillis, 0);
  }

  private long last() {
    return points.isEmpty() ? 0 : points.get(points.size() - 1);
  }

  private void halve() {
    for (int i = 0; i < MOST / 2; i++) {
      points.set(i, (points.get(2 * i) + points.get(2 * i + 1)) / 2);
    }
    points.subList(MOST / 2, MOST).clear();
    widthMillis *= 2;
  }

  Rates.Points points() {
    List<Long> all = new ArrayList<>(points);
    if (samples > 0) {
      all.add(sum / samples);
    }
    return new Rates.Points(beginMillis, widthMillis, List.copyOf(all));
  }
}
