package io.fdt.core.model;

import java.util.Optional;
import java.util.OptionalLong;

/**
 * How one large file is cut into ranges of equal length, each of which may be copied by another
 * machine. Immutable.
 *
 * @param fileSize bytes of the file
 * @param rangeBytes bytes of each range but the last, a multiple of {@link #GRANULE}
 */
public record FileCut(long fileSize, long rangeBytes) {
  /** Bytes of the longest chunk of a digest, so that ranges of the file have whole chunks. */
  public static final long GRANULE = 1 << 20;

  /** Each range has a journal beside the file. */
  public static final int MAX_RANGES = 1 << 16;

  /**
   * Checks the numbers.
   *
   * @throws IllegalArgumentException there is no such cut
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

  /** Ranges of at least so many bytes, and few enough of them. */
  public static FileCut of(long fileSize, long leastRangeBytes) {
    long least = Math.max(leastRangeBytes, (fileSize - 1) / MAX_RANGES + 1);
    long granules = (least - 1) / GRANULE + 1;
    return new FileCut(fileSize, Math.multiplyExact(granules, GRANULE));
  }

  /** Ranges of the file. */
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

  /** The same, as what a transfer moves. */
  public FilePart part(int index) {
    Range range = range(index);
    return new FilePart(range.start(), OptionalLong.of(range.length()), Optional.of(this));
  }
}
