package io.fdt.s3;

import io.fdt.core.model.FileMetadata;
import io.fdt.core.model.Owner;
import io.fdt.core.model.Timestamp;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Attributes of files as metadata of objects, as rclone writes them. Pure functions. */
final class ObjectMetadata {
  /** Seconds since 1970, with a fraction: {@code 1600000000.987654321}. */
  static final String MTIME = "mtime";

  /** Type and permissions, octal: {@code 100644}. */
  static final String MODE = "mode";

  private static final String USER = "uid";
  private static final String GROUP = "gid";
  private static final int FILE = 0100000;
  private static final int MODE_BITS = 07777;

  /** The most characters of seconds with nanoseconds: a large exponent would take for ever. */
  private static final int MOST_DIGITS = 32;

  private ObjectMetadata() {}

  /**
   * The metadata of a new object.
   *
   * @param modified null for none
   */
  static Map<String, String> of(int mode, Timestamp modified, FileMetadata metadata) {
    Map<String, String> all = new LinkedHashMap<>();
    if (modified != null) {
      all.put(
          MTIME,
          BigDecimal.valueOf(modified.seconds())
              .add(BigDecimal.valueOf(modified.nanos(), 9))
              .stripTrailingZeros()
              .toPlainString());
    }
    all.put(MODE, Integer.toOctalString(FILE | mode));
    Owner owner = metadata.owner();
    if (owner != null) {
      all.put(USER, Integer.toUnsignedString(owner.user()));
      all.put(GROUP, Integer.toUnsignedString(owner.group()));
    }
    return all;
  }

  /**
   * The modification time.
   *
   * @param stored when the store received the object: the time of one without metadata
   */
  static Timestamp modified(Map<String, String> metadata, Instant stored) {
    String text = metadata.get(MTIME);
    if (text != null) {
      try {
        BigDecimal time = new BigDecimal(text.strip());
        if (Math.abs((long) time.scale()) > MOST_DIGITS || time.precision() > MOST_DIGITS) {
          throw new NumberFormatException("no time: " + text.length() + " characters");
        }
        BigDecimal seconds = time.setScale(0, RoundingMode.FLOOR);
        int nanos =
            time.subtract(seconds).movePointRight(9).setScale(0, RoundingMode.DOWN).intValue();
        return new Timestamp(seconds.longValueExact(), nanos);
      } catch (ArithmeticException | NumberFormatException e) {
        // Another program's; the store's own time stands in.
      }
    }
    return stored == null
        ? new Timestamp(0, 0)
        : new Timestamp(stored.getEpochSecond(), stored.getNano());
  }

  /** The permissions; empty where the object has none. */
  static Optional<Integer> mode(Map<String, String> metadata) {
    try {
      String text = metadata.get(MODE);
      return text == null
          ? Optional.empty()
          : Optional.of(Integer.parseInt(text.strip(), 8) & MODE_BITS);
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }

  /** The owner; empty where the object has none. */
  static Optional<Owner> owner(Map<String, String> metadata) {
    try {
      String user = metadata.get(USER);
      String group = metadata.get(GROUP);
      return user == null || group == null
          ? Optional.empty()
          : Optional.of(new Owner(Integer.parseUnsignedInt(user), Integer.parseUnsignedInt(group)));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }
}
