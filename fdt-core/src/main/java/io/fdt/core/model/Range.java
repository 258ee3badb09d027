package io.fdt.core.model;

/**
 * The bytes of one file from {@code start} up to, but not including, {@code end}. Immutable.
 *
 * @param start offset of the first byte, 0 or more
 * @param end offset after the last byte; equal to {@code start} when there is none
 */
public record Range(long start, long end) {
  public Range {
    if (start < 0 || end < start) {
      throw new IllegalArgumentException("range [" + start + ", " + end + ")");
    }
  }

  public long length() {
    return end - start;
  }

  @Override
  public String toString() {
    return "[" + start + ", " + end + ")";
  }
}
