package io.fdt.core.model;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A named value that a file system keeps with a file. Immutable; names and values are bytes. */
public final class ExtendedAttribute {
  /** Names of POSIX access lists: that of any entry, and the default of a directory. */
  public static final String ACCESS_LIST = "system.posix_acl_access";

  public static final String DEFAULT_ACCESS_LIST = "system.posix_acl_default";

  /** The limit of Linux, in bytes. */
  public static final int MAX_NAME = 255;

  private final byte[] name;
  private final byte[] value;

  /**
   * @throws IllegalArgumentException the name is empty, longer than {@link #MAX_NAME}, or has a NUL
   */
  public ExtendedAttribute(byte[] name, byte[] value) {
    if (name.length == 0 || name.length > MAX_NAME) {
      throw new IllegalArgumentException("name of an attribute with " + name.length + " bytes");
    }
    for (byte b : name) {
      if (b == 0) {
        throw new IllegalArgumentException("name of an attribute with a NUL");
      }
    }
    this.name = name.clone();
    this.value = value.clone();
  }

  public byte[] name() {
    return name.clone();
  }

  public byte[] value() {
    return value.clone();
  }

  /** Bytes of name and value. */
  public int length() {
    return name.length + value.length;
  }

  public boolean isNamed(String text) {
    return Arrays.equals(name, text.getBytes(StandardCharsets.US_ASCII));
  }

  /** Whether a session with these aspects transfers this attribute. */
  public boolean isAmong(Preservation kept) {
    return isAmong(name, kept);
  }

  /** Whether a session with these aspects transfers an attribute of this name. */
  public static boolean isAmong(byte[] name, Preservation kept) {
    String text = new String(name, StandardCharsets.ISO_8859_1);
    if (text.startsWith("user.")) {
      return kept.keeps(Preservation.Aspect.XATTRS);
    }
    if (text.startsWith("system.")) {
      return kept.keeps(Preservation.Aspect.ACLS)
          && (text.equals(ACCESS_LIST) || text.equals(DEFAULT_ACCESS_LIST));
    }
    return kept.keeps(Preservation.Aspect.ALL_XATTRS);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ExtendedAttribute that
        && Arrays.equals(name, that.name)
        && Arrays.equals(value, that.value);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(name) + Arrays.hashCode(value);
  }

  /** The name, escaped. */
  @Override
  public String toString() {
    return PathText.escape(name);
  }
}
