package io.fdt.core.unit;

import java.util.Locale;

/**
 * An amount of data.
 *
 * <p>Written as a number, possibly with a fraction, and a unit in upper or lower case:
 *
 * <pre>
 *   0   1500   1500B          bytes
 *   64K  64KiB   1.5G  2TiB   powers of 1024: K M G T P, as in FDT's -bs 1M, and KiB MiB ...
 *   16MB  1.5GB               powers of 1000: KB MB GB TB PB
 * </pre>
 *
 * <p>A bare letter is a power of 1024, as usual for buffers and blocks (dd, FDT, iperf); KB and MB
 * are the units in which disks and networks are sold. Fractions of a byte are dropped. Immutable.
 *
 * @param bytes 0 or more
 */
public record ByteSize(long bytes) implements Comparable<ByteSize> {
  public ByteSize {
    if (bytes < 0) {
      throw new IllegalArgumentException("negative size: " + bytes);
    }
  }

  public static ByteSize ofBytes(long bytes) {
    return new ByteSize(bytes);
  }

  /**
   * Parses a size; see above.
   *
   * @throws IllegalArgumentException for an invalid or too large size; the message is for the user
   */
  public static ByteSize parse(String text) {
    Quantity quantity = Quantity.parse(text, "size", "64K, 1.5GiB or 16MB");
    long unit =
        switch (quantity.unit().toLowerCase(Locale.ROOT)) {
          case "", "b" -> 1;
          case "k", "kib" -> 1L << 10;
          case "m", "mib" -> 1L << 20;
          case "g", "gib" -> 1L << 30;
          case "t", "tib" -> 1L << 40;
          case "p", "pib" -> 1L << 50;
          case "kb" -> 1_000L;
          case "mb" -> 1_000_000L;
          case "gb" -> 1_000_000_000L;
          case "tb" -> 1_000_000_000_000L;
          case "pb" -> 1_000_000_000_000_000L;
          default -> throw quantity.unknownUnit();
        };
    return new ByteSize(quantity.times(unit));
  }

  @Override
  public int compareTo(ByteSize other) {
    return Long.compare(bytes, other.bytes);
  }

  /** The text for display: "512 B", "1.50 GiB". */
  @Override
  public String toString() {
    return NumberText.bytes(bytes);
  }
}
