package io.fdt.core.unit;

/**
 * An amount of data.
 *
 * @param bytes 0 or more
 */
public record ByteSize(long bytes) {
  public ByteSize {
    if (bytes < 0) {
      throw new IllegalArgumentException("negative size: " + bytes);
    }
  }

  public static ByteSize ofBytes(long bytes) {
    return new ByteSize(bytes);
  }
}
