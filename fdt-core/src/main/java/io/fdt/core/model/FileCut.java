package io.fdt.core.model;

import java.util.Optional;
import java.util.OptionalLong;

/**
 * A cut of one large file into ranges of equal length, each of which another machine may copy.
 * Immutable.
 *
 * @param fileSize bytes of the file
 * @param rangeBytes bytes of each range but the last, a multiple of {@link #GRANULE}
 */
public record FileCut(long fileSize, long rangeBytes) {
  /** The longest chunk of a digest in bytes, so that ranges of the file have whole chunks. */
  public static final long GRANULE = 1 << 20;

  /** The limit on ranges; each has a journal beside the file. */
  public static final int MAX_RANGES = 1 << 16;

  /**
   * @throws IllegalArgumentException the cut is invalid
   */
  public FileCut {
    if (fileSize < 1
        || rangeBytes < GRANULE
        || rangeBytes % GRANULE != 0
        || rangeBytes / GRANULE > Integer.MAX_VALUE
        || (fileSize - 1) / rangeBytes >= MAX_RANGES) {
      throw new IllegalArgumentException(
          "a file of " + fileSize + " bytes is not cut into ranges of " + rangeBytes);
    }
  }

  /** A cut into ranges of at least this many bytes, within {@link #MAX_RANGES}. */
  public static FileCut of(long fileSize, long leastRangeBytes) {
    long least = Math.max(leastRangeBytes, (fileSize - 1) / MAX_RANGES + 1);
    long granules = (least - 1) / GRANULE + 1;
    return new FileCut(fileSize, Math.multiplyExact(granules, GRANULE));
  }

  /** The number of ranges. */
  public int count() {
    return (int) ((fileSize - 1) / rangeBytes) + 1;
  }

  /**
   * One range.
   *
   * @param index 0 to {@link #count} less 1
   */
  public Range range(int index) {
    long start = index * rangeBytes;
    return new Range(start, start + Math.min(rangeBytes, fileSize - start));
  }

  /** The range as the part that a transfer copies. */
  public FilePart part(int index) {
    Range range = range(index);
    return new FilePart(range.start(), OptionalLong.of(range.length()), Optional.of(this));
  }
}
