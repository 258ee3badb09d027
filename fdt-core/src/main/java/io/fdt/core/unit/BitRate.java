package io.fdt.core.unit;

import java.math.BigDecimal;
import java.util.Locale;

/**
 * A rate of data.
 *
 * <p>Written as a number, maybe with a fraction, and a unit:
 *
 * <pre>
 *   100M   1.5G   64K   100MiB/s      bytes per second, powers of 1024, as in FDT's -limit 100M
 *   100MB/s   1500000   1500000B/s    bytes per second, powers of 1000; below 100000 with a unit
 *   1Gbit/s   800mbit/s   1gbps       bits per second, powers of 1000
 * </pre>
 *
 * <p>In MB/s the B is a capital letter, because "mb" may mean either; elsewhere case does not
 * matter. Immutable.
 *
 * @param bytesPerSecond 1 or more
 */
public record BitRate(long bytesPerSecond) implements Comparable<BitRate> {
  private static final int BITS = 8;

  /** Bytes per second: 0.8 Mbit/s; a small number without a unit is a mistake. */
  private static final long LEAST_BARE = 100_000;

  private static final String[] PREFIXES = {"", "k", "M", "G", "T", "P", "E"};

  public BitRate {
    if (bytesPerSecond < 1) {
      throw new IllegalArgumentException(
          "a rate is at least 1 byte per second, not " + bytesPerSecond);
    }
  }

  public static BitRate ofBytesPerSecond(long bytesPerSecond) {
    return new BitRate(bytesPerSecond);
  }

  /**
   * The rate that a person wrote; see above.
   *
   * @throws IllegalArgumentException when it is none, zero, or too large; the message is for that
   *     person
   */
  public static BitRate parse(String text) {
    Quantity quantity = Quantity.parse(text, "rate", "100M, 100MB/s or 1Gbit/s");
    BigDecimal unit = unitOf(quantity);
    long bytesPerSecond = quantity.times(unit);
    if (quantity.unit().isEmpty() && 0 < bytesPerSecond && bytesPerSecond < LEAST_BARE) {
      throw new IllegalArgumentException(
          "'%s' has no unit: write %sM (MiB a second), %sMbit/s, or %sB/s (bytes a second)"
              .formatted(text.strip(), text.strip(), text.strip(), text.strip()));
    }
    if (bytesPerSecond < 1) {
      throw new IllegalArgumentException(
          "a rate is at least 1 byte per second: '" + quantity.text() + "'");
    }
    return new BitRate(bytesPerSecond);
  }

  /** For a person, as of a disk: "1.23 GB/s"; three digits, powers of 1000. */
  public static String format(double bytesPerSecond) {
    return withPrefix(bytesPerSecond, "B/s");
  }

  /** For a person, as of a network: "941 Mbit/s"; three digits, powers of 1000. */
  public static String formatBits(double bytesPerSecond) {
    return withPrefix(bytesPerSecond * BITS, "bit/s");
  }

  @Override
  public int compareTo(BitRate other) {
    return Long.compare(bytesPerSecond, other.bytesPerSecond);
  }

  /** For a person: "941 Mbit/s". */
  @Override
  public String toString() {
    return formatBits((double) bytesPerSecond);
  }

  /** Bytes per second in one unit. */
  private static BigDecimal unitOf(Quantity quantity) {
    String unit = quantity.unit();
    String lower = unit.toLowerCase(Locale.ROOT);
    if (lower.endsWith("bit/s")) {
      return bits(lower.substring(0, lower.length() - "bit/s".length()), quantity);
    }
    if (lower.endsWith("bps") && unit.indexOf('B') < 0) {
      return bits(lower.substring(0, lower.length() - "bps".length()), quantity);
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
    int exponent = prefix.length() == 1 ? "kmgt".indexOf(prefix.toLowerCase(Locale.ROOT)) + 1 : 0;
    if (exponent == 0) {
      throw quantity.unknownUnit();
    }
    return BigDecimal.valueOf(base).pow(exponent);
  }

  private static String withPrefix(double perSecond, String unit) {
    if (!Double.isFinite(perSecond) || perSecond < 0) {
      return "? " + unit;
    }
    double value = perSecond;
    int prefix = 0;
    while (value >= 999.5 && prefix < PREFIXES.length - 1) {
      value /= 1000;
      prefix++;
    }
    int decimals = prefix == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    return String.format(Locale.US, "%." + decimals + "f %s%s", value, PREFIXES[prefix], unit);
  }
}
