package io.fdt.core.unit;

import java.util.Locale;

/**
 * A rate of data.
 *
 * @param bytesPerSecond 1 or more
 */
public record BitRate(long bytesPerSecond) {
  /** Reads a whole number and a unit of bits: 500Mbit/s, 10G. */
  public static BitRate parse(String text) {
    String lower = text.toLowerCase(Locale.ROOT);
    if (!lower.matches("[1-9][0-9]{0,8}[kmg](bit/s)?")) {
      throw new IllegalArgumentException("'" + text + "' is no rate; write for example 500Mbit/s");
    }
    String digits = lower.replaceFirst("[a-z].*", "");
    long unit = (long) Math.pow(1000, 1 + "kmg".indexOf(lower.charAt(digits.length())));
    return new BitRate(Math.multiplyExact(Long.parseLong(digits), unit) / 8);
  }
}
