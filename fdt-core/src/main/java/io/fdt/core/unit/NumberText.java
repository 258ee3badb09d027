package io.fdt.core.unit;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.Locale;

/**
 * Formats numbers for messages, tables and logs: three significant digits and a unit. Pure.
 *
 * <p>Sizes are in B, KiB, MiB, GiB, rates in the same per second. Measurements of a network also
 * show bits per second.
 *
 * <p>Uses {@link Locale#US}, whose format equals that of {@link Locale#ROOT}: for all other locales
 * {@code String.format} first loads the JDK's locale data, which takes 30 ms.
 */
public final class NumberText {
  private static final String[] BINARY = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  private static final String[] BITS = {
    "bit/s", "kbit/s", "Mbit/s", "Gbit/s", "Tbit/s", "Pbit/s", "Ebit/s"
  };

  private NumberText() {}

  /** An amount in units of 1024: "5.00 GiB". */
  public static String bytes(long bytes) {
    return scaled(bytes, 1024, BINARY);
  }

  /** A rate: "416 MiB/s". */
  public static String rate(double bytesPerSecond) {
    return scaled(bytesPerSecond, 1024, BINARY) + "/s";
  }

  /** A rate in powers of 1000 of bits: "3.49 Gbit/s". */
  public static String bits(double bytesPerSecond) {
    return scaled(bytesPerSecond * Byte.SIZE, 1000, BITS);
  }

  /** The rate of a network, in both: "416 MiB/s (3.49 Gbit/s)". */
  public static String networkRate(double bytesPerSecond) {
    return rate(bytesPerSecond) + " (" + bits(bytesPerSecond) + ")";
  }

  /** Progress in the unit of the total: "1.20/2.70 GiB". */
  public static String progress(long bytesDone, long bytesTotal, String beforeTotal) {
    int power = power(bytesTotal, 1024, BINARY.length);
    double unit = Math.pow(1024, power);
    return digits(bytesDone / unit, power)
        + "/"
        + beforeTotal
        + digits(bytesTotal / unit, power)
        + " "
        + BINARY[power];
  }

  /** A count with separators: "1,234". */
  public static String count(long count) {
    return String.format(Locale.US, "%,d", count);
  }

  /** A count with its noun: "1 file", "1,234 files". */
  public static String count(long count, String singular) {
    return count(count) + " " + singular + (count == 1 ? "" : "s");
  }

  /** A duration: "12.3 s", "2 min 05 s", "1 h 02 min". */
  public static String duration(Duration duration) {
    long seconds = duration.toSeconds();
    if (seconds < 60) {
      return seconds + "." + duration.toMillisPart() / 100 + " s";
    }
    return seconds < 3600
        ? String.format(Locale.US, "%d min %02d s", seconds / 60, seconds % 60)
        : String.format(Locale.US, "%d h %02d min", seconds / 3600, seconds / 60 % 60);
  }

  /** A time to wait as clocks show it: "0:12", "1:02:05", "3 days". */
  public static String clock(long seconds) {
    if (seconds < 3600) {
      return String.format(Locale.US, "%d:%02d", seconds / 60, seconds % 60);
    }
    return seconds < 100 * 3600
        ? String.format(Locale.US, "%d:%02d:%02d", seconds / 3600, seconds / 60 % 60, seconds % 60)
        : seconds / 86400 + " days";
  }

  /** A time by the clock of a place: "2026-11-27 22:40:05". */
  public static String time(Instant time, ZoneId zone) {
    LocalDateTime local = LocalDateTime.ofInstant(time, zone);
    return String.format(
        Locale.US,
        "%04d-%02d-%02d %02d:%02d:%02d",
        local.getYear(),
        local.getMonthValue(),
        local.getDayOfMonth(),
        local.getHour(),
        local.getMinute(),
        local.getSecond());
  }

  /** How long ago something has begun, or has ended: "5 s", "2 min 05 s ago". */
  public static String age(Duration age, boolean hasEnded) {
    return duration(age).replaceFirst("\\.[0-9] s$", " s") + (hasEnded ? " ago" : "");
  }

  private static String scaled(double value, int base, String[] units) {
    if (!Double.isFinite(value) || value < 0) {
      return "? " + units[0];
    }
    int power = power(value, base, units.length);
    return digits(value / Math.pow(base, power), power) + " " + units[power];
  }

  /** The power of the unit in which the rounded value has one to three digits before the point. */
  private static int power(double value, int base, int units) {
    int power = 0;
    double scaled = value;
    while (scaled >= base - 0.5 && power < units - 1) {
      scaled /= base;
      power++;
    }
    return power;
  }

  private static String digits(double value, int power) {
    String format = power == 0 || value >= 99.95 ? "%.0f" : value >= 9.995 ? "%.1f" : "%.2f";
    return String.format(Locale.US, format, value);
  }
}
