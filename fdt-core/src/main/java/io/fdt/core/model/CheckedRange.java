package io.fdt.core.model;

/**
 * A range of a file with the CRC32C of its bytes.
 *
 * @param start first byte
 * @param end one past the last byte
 * @param crc CRC32C of the bytes of this range alone
 */
public record CheckedRange(long start, long end, int crc) {
  public CheckedRange {
    if (start < 0 || end <= start) {
      throw new IllegalArgumentException("range from " + start + " to " + end);
    }
  }

  public long length() {
    return end - start;
  }
}
