package io.fdt.core.model;

import java.util.Locale;

/**
 * How the sender compresses payloads. Checksums and digests cover the plain bytes. Immutable.
 *
 * @param method the format, off or auto
 * @param level 1 to 19 for zstd, 1 to 9 for deflate, 0 for the others
 */
public record Compression(Method method, int level) {
  /** Formats, off and automatic. */
  public enum Method {
    /** No compression. */
    OFF(0, 0),
    /** Compresses the blocks for which that makes the transfer faster. */
    AUTO(0, 0),
    ZSTD(3, 19),
    LZ4(0, 0),
    /** As in RFC 1951, without a wrapper. */
    DEFLATE(6, 9);

    private final int usualLevel;
    private final int mostLevel;

    Method(int usualLevel, int mostLevel) {
      this.usualLevel = usualLevel;
      this.mostLevel = mostLevel;
    }

    /** The form that a user writes. */
    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  public static final Compression OFF = new Compression(Method.OFF, 0);
  public static final Compression AUTO = new Compression(Method.AUTO, 0);

  /**
   * @throws IllegalArgumentException when the method has no such level; the message suits a user
   */
  public Compression {
    int least = method.mostLevel == 0 ? 0 : 1;
    if (level < least || level > method.mostLevel) {
      throw new IllegalArgumentException(
          method.mostLevel == 0
              ? method.text() + " has no levels"
              : "%s has levels 1 to %d, not %d".formatted(method.text(), method.mostLevel, level));
    }
  }

  /** Compression with the default level of the method. */
  public static Compression of(Method method) {
    return new Compression(method, method.usualLevel);
  }

  /**
   * Parses the result of {@link #toString}: {@code auto}, {@code off}, {@code lz4}, {@code zstd},
   * {@code zstd:9}.
   *
   * @throws IllegalArgumentException for any other text; the message suits a user
   */
  public static Compression parse(String text) {
    int colon = text.indexOf(':');
    String name = colon < 0 ? text : text.substring(0, colon);
    for (Method method : Method.values()) {
      if (method.text().equals(name)) {
        return colon < 0 ? of(method) : new Compression(method, level(text.substring(colon + 1)));
      }
    }
    throw unknown(text);
  }

  private static int level(String digits) {
    if (!digits.matches("[0-9]{1,2}")) {
      throw new IllegalArgumentException("the level '" + digits + "' is not a number");
    }
    return Integer.parseInt(digits);
  }

  private static IllegalArgumentException unknown(String text) {
    return new IllegalArgumentException(
        "'" + text + "' is not a compression: write auto, off, zstd, zstd:LEVEL, lz4 or deflate");
  }

  /** Whether payloads may be encoded. */
  public boolean isOn() {
    return method != Method.OFF;
  }

  @Override
  public String toString() {
    return method.mostLevel == 0 ? method.text() : method.text() + ":" + level;
  }
}
