package io.fdt.core.unit;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A rate of data.
 *
 * <p>Written as a number, possibly with a fraction, and a unit:
 *
 * <pre>
 *   100M   1.5G   64K   100MiB/s      bytes per second, powers of 1024, as in FDT's -limit 100M
 *   100MB/s   1500000   1500000B/s    bytes per second, powers of 1000; below 100000 with a unit
 *   1Gbit/s   800mbit   1gbps         bits per second, powers of 1000
 * </pre>
 *
 * <p>In MB/s the B is a capital letter, because "mb" may mean either; elsewhere case does not
 * matter. Immutable.
 *
 * @param bytesPerSecond 1 or more
 */
public record BitRate(long bytesPerSecond) implements Comparable<BitRate> {
  private static final int BITS = 8;

  /**
   * The lowest number without a unit, in bytes per second (0.8 Mbit/s): a smaller one is probably a
   * mistake.
   */
  private static final long LEAST_BARE = 100_000;

  private static final Pattern IN_BITS = Pattern.compile("(.*)(?:(?i:bit(?:/s)?)|b[pP][sS])");

  public BitRate {
    if (bytesPerSecond < 1) {
      throw new IllegalArgumentException(
          "a rate is at least 1 byte per second, not " + bytesPerSecond);
    }
  }

  public static BitRate ofBytesPerSecond(long bytesPerSecond) {
    return new BitRate(bytesPerSecond);
  }

  /** The mean rate of an amount over a time, in bytes per second; 0 for no time. */
  public static double mean(long bytes, Duration elapsed) {
    return elapsed.isZero() ? 0 : bytes / (elapsed.toNanos() / 1e9);
  }

  /**
   * Parses a rate; see above.
   *
   * @throws IllegalArgumentException for an invalid, zero or too large rate; the message is for the
   *     user
   */
  public static BitRate parse(String text) {
    Quantity quantity = Quantity.parse(text, "rate", "100M, 100MiB/s or 1Gbit");
    BigDecimal unit = unitOf(quantity);
    long bytesPerSecond = quantity.times(unit);
    if (quantity.unit().isEmpty() && 0 < bytesPerSecond && bytesPerSecond < LEAST_BARE) {
      throw new IllegalArgumentException(
          "'%s' has no unit: write %sM (MiB/s), %sMbit (bits) or %sB/s"
              .formatted(text.strip(), text.strip(), text.strip(), text.strip()));
    }
    if (bytesPerSecond < 1) {
      throw new IllegalArgumentException(
          "a rate is at least 1 byte per second: '" + quantity.text() + "'");
    }
    return new BitRate(bytesPerSecond);
  }

  @Override
  public int compareTo(BitRate other) {
    return Long.compare(bytesPerSecond, other.bytesPerSecond);
  }

  /** For display, in bits if only these are exact: "30.0 MiB/s", "100 Mbit/s". */
  @Override
  public String toString() {
    BigDecimal bits = BigDecimal.valueOf(bytesPerSecond).multiply(BigDecimal.valueOf(BITS));
    return bytesPerSecond >= 1024 && bits.stripTrailingZeros().precision() <= 3
        ? NumberText.bits(bytesPerSecond)
        : NumberText.rate(bytesPerSecond);
  }

  /** Bytes per second in one unit. */
  private static BigDecimal unitOf(Quantity quantity) {
    String unit = quantity.unit();
    Matcher bits = IN_BITS.matcher(unit);
    if (bits.matches()) {
      return bits(bits.group(1).toLowerCase(Locale.ROOT), quantity);
    }
    String amount = unit.endsWith("/s") ? unit.substring(0, unit.length() - 2) : unit;
    if (amount.isEmpty() || amount.equals("B")) {
      return BigDecimal.ONE;
    }
    boolean decimal = amount.endsWith("B") && !amount.endsWith("iB");
    String prefix = decimal ? amount.substring(0, amount.length() - 1) : amount;
    if (amount.endsWith("iB")) {
      prefix = amount.substring(0, amount.length() - 2);
    }
    return power(decimal ? 1000 : 1024, prefix, quantity);
  }

  private static BigDecimal bits(String prefix, Quantity quantity) {
    boolean binary = prefix.endsWith("i");
    String letter = binary ? prefix.substring(0, prefix.length() - 1) : prefix;
    BigDecimal bits =
        letter.isEmpty() && !binary
            ? BigDecimal.ONE
            : power(binary ? 1024 : 1000, letter, quantity);
    return bits.divide(BigDecimal.valueOf(BITS));
  }

  private static BigDecimal power(int base, String prefix, Quantity quantity) {
    int exponent = prefix.length() == 1 ? "kmgtpe".indexOf(prefix.toLowerCase(Locale.ROOT)) + 1 : 0;
    if (exponent == 0) {
      throw quantity.unknownUnit();
    }
    return BigDecimal.valueOf(base).pow(exponent);
  }
}
