package io.fdt.core.unit;

import java.util.Locale;

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

  /** Reads a whole number and an optional unit of 1024: 64K, 1MiB. */
  public static ByteSize parse(String text) {
    String lower = text.toLowerCase(Locale.ROOT);
    if (!lower.matches("[0-9]{1,12}([kmg](i?b)?)?")) {
      throw new IllegalArgumentException("'" + text + "' is no size; write for example 64K or 1MiB");
    }
    String digits = lower.replaceFirst("[a-z].*", "");
    int shift = digits.length() == lower.length() ? 0 : 10 * (1 + "kmg".indexOf(lower.charAt(digits.length())));
    return ofBytes(Math.multiplyExact(Long.parseLong(digits), 1L << shift));
  }
}
