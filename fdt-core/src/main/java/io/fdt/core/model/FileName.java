package io.fdt.core.model;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * One component of a path, as the operating system's bytes: not empty, at most 255 bytes, without
 * '/' and NUL, neither "." nor "..". Other bytes are allowed, also invalid UTF-8.
 *
 * <p>A path of FileNames cannot leave the directory that it starts in. Immutable.
 */
public final class FileName implements Comparable<FileName> {
  /** NAME_MAX of Linux file systems, in bytes. */
  public static final int MAX_LENGTH = 255;

  private final byte[] bytes;

  private FileName(byte[] bytes) {
    this.bytes = bytes;
  }

  /**
   * Checks and copies the bytes of a name.
   *
   * @throws IllegalArgumentException if they cannot be one component of a path; the message says
   *     why
   */
  public static FileName of(byte[] bytes) {
    String flaw = flawOf(bytes);
    if (flaw != null) {
      throw new IllegalArgumentException(flaw + ": '" + PathText.escape(bytes) + "'");
    }
    return new FileName(copyOf(bytes));
  }

  /** The name with this text, in UTF-8. */
  public static FileName of(String text) {
    return of(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Why these bytes cannot be one component of a path, or null when they can. */
  public static String flawOf(byte[] bytes) {
    if (bytes.length == 0) {
      return "empty name";
    }
    if (bytes.length > MAX_LENGTH) {
      return "name of " + bytes.length + " bytes (at most " + MAX_LENGTH + ")";
    }
    if (bytes[0] == '.' && (bytes.length == 1 || (bytes.length == 2 && bytes[1] == '.'))) {
      return "name that leads elsewhere";
    }
    for (byte b : bytes) {
      if (b == '/' || b == 0) {
        return b == 0 ? "name with a NUL byte" : "name with a slash";
      }
    }
    return null;
  }

  /** A copy of the bytes. */
  public byte[] bytes() {
    return copyOf(bytes);
  }

  /**
   * Not {@code clone}, which the C1 compiler turns into a call to the virtual machine: names are
   * many.
   */
  private static byte[] copyOf(byte[] bytes) {
    return Arrays.copyOf(bytes, bytes.length);
  }

  /** Length in bytes. */
  public int length() {
    return bytes.length;
  }

  /** Copies the bytes to {@code target} from {@code offset} on. */
  public void copyTo(byte[] target, int offset) {
    System.arraycopy(bytes, 0, target, offset, bytes.length);
  }

  @Override
  public int compareTo(FileName other) {
    return Arrays.compareUnsigned(bytes, other.bytes);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof FileName name && Arrays.equals(bytes, name.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }

  /** Valid UTF-8, with the rest escaped. */
  @Override
  public String toString() {
    return PathText.escape(bytes);
  }
}
