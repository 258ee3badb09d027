package io.fdt.core.model;

/**
 * A point in time as file systems keep it: seconds since 1970-01-01T00:00:00Z (negative before) and
 * nanoseconds.
 *
 * @param seconds seconds since the epoch
 * @param nanos nanoseconds within the second, 0 to 999,999,999
 */
public record Timestamp(long seconds, int nanos) implements Comparable<Timestamp> {
  /** The most nanoseconds within a second. */
  public static final int MAX_NANOS = 999_999_999;

  public Timestamp {
    if (nanos < 0 || nanos > MAX_NANOS) {
      throw new IllegalArgumentException("nanoseconds out of range: " + nanos);
    }
  }

  // Not generated: see DiskId.
  @Override
  public boolean equals(Object other) {
    return other instanceof Timestamp time && time.seconds == seconds && time.nanos == nanos;
  }

  @Override
  public int hashCode() {
    return 31 * Long.hashCode(seconds) + nanos;
  }

  @Override
  public int compareTo(Timestamp other) {
    return seconds != other.seconds
        ? Long.compare(seconds, other.seconds)
        : Integer.compare(nanos, other.nanos);
  }
}
