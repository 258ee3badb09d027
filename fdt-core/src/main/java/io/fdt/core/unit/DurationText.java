package io.fdt.core.unit;

import java.time.Duration;
import java.util.Locale;

/** Durations for people: two units at most, "12.3 s", "1 min 05 s", "1 h 02 min", "2 d 03 h". */
public final class DurationText {
  private static final long SECONDS_OF_MINUTE = 60;
  private static final long SECONDS_OF_HOUR = 60 * SECONDS_OF_MINUTE;
  private static final long SECONDS_OF_DAY = 24 * SECONDS_OF_HOUR;

  private DurationText() {}

  /** The text of a duration; a negative one is taken as zero. */
  public static String format(Duration duration) {
    Duration positive = duration.isNegative() ? Duration.ZERO : duration;
    if (positive.compareTo(Duration.ofMillis(59_950)) < 0) {
      return String.format(Locale.US, "%.1f s", positive.toNanos() / 1e9);
    }
    long seconds = positive.toSeconds() + (positive.toMillisPart() >= 500 ? 1 : 0);
    if (seconds < SECONDS_OF_HOUR) {
      return two(seconds, SECONDS_OF_MINUTE, "min", 1, "s");
    }
    if (seconds < SECONDS_OF_DAY) {
      return two(seconds, SECONDS_OF_HOUR, "h", SECONDS_OF_MINUTE, "min");
    }
    return two(seconds, SECONDS_OF_DAY, "d", SECONDS_OF_HOUR, "h");
  }

  /** Both units rounded down, so that time left never jumps up between two of them. */
  private static String two(long seconds, long large, String largeName, long small, String name) {
    return String.format(
        Locale.US, "%d %s %02d %s", seconds / large, largeName, seconds % large / small, name);
  }
}
