package io.fdt.plan;

/**
 * The limits of a unit. Immutable.
 *
 * @param bytes of its files together, 1 or more; a larger file is cut into ranges, or is a separate
 *     unit if it cannot be cut
 * @param files files and links, 1 to {@link #MAX_FILES}
 */
public record UnitLimits(long bytes, int files) {
  /** The most files of a unit: their paths must fit into one message of at most 1 MiB. */
  public static final int MAX_FILES = 50_000;

  /** The default limits: 34 s at 1 Gbit/s; the start of a unit costs about five round trips. */
  public static final UnitLimits DEFAULT = new UnitLimits(4L << 30, 4000);

  /** Bytes of all paths of a unit: half of the longest control message. */
  static final int MAX_PATH_BYTES = 512 << 10;

  /**
   * Checks the limits.
   *
   * @throws IllegalArgumentException one is out of its range
   */
  public UnitLimits {
    if (bytes < 1) {
      throw new IllegalArgumentException("bytes of a unit: " + bytes + " is less than 1");
    }
    if (files < 1 || files > MAX_FILES) {
      throw new IllegalArgumentException(
          "files of a unit: " + files + " is not between 1 and " + MAX_FILES);
    }
  }
}
