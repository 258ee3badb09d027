package io.fdt.core.model;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A path, or the target of a symbolic link, as the operating system's bytes; any bytes except NUL,
 * possibly empty.
 *
 * <p>Immutable.
 */
public final class BytePath {
  /** How this machine writes paths. */
  public static final PathStyle STYLE = PathStyle.of(Path.of("a", "b").toString().substring(1, 2));

  public static final BytePath EMPTY = new BytePath(new byte[0]);

  private final byte[] bytes;

  private BytePath(byte[] bytes) {
    this.bytes = bytes;
  }

  /**
   * Copies the bytes of a path.
   *
   * @throws IllegalArgumentException for a NUL byte
   */
  public static BytePath of(byte[] bytes) {
    for (byte b : bytes) {
      if (b == 0) {
        throw new IllegalArgumentException(
            "path with a NUL byte: '" + PathText.escape(bytes) + "'");
      }
    }
    return new BytePath(bytes.clone());
  }

  /** The path with this text, in UTF-8. */
  public static BytePath of(String text) {
    return of(text.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * The path of a {@link Path} of this machine; names that are not text in UTF-8 need {@link
   * #of(byte[])}.
   */
  public static BytePath of(Path path) {
    return of(STYLE.slashed(path.toString()));
  }

  /** The path on this machine; names that are not text in UTF-8 cannot be found by it. */
  public Path toPath() {
    return Path.of(STYLE.ofSystem(ByteText.decode(bytes)));
  }

  /** A copy of the bytes. */
  public byte[] bytes() {
    return bytes.clone();
  }

  public int length() {
    return bytes.length;
  }

  public boolean isEmpty() {
    return bytes.length == 0;
  }

  public boolean isAbsolute() {
    return bytes.length > 0 && bytes[0] == '/';
  }

  public boolean endsWithSlash() {
    return bytes.length > 0 && bytes[bytes.length - 1] == '/';
  }

  /** This path and another one beneath it, with one slash between them. */
  public BytePath resolve(BytePath other) {
    if (isEmpty() || other.isAbsolute()) {
      return other;
    }
    if (other.isEmpty()) {
      return this;
    }
    int slash = endsWithSlash() ? 0 : 1;
    byte[] joined = Arrays.copyOf(bytes, bytes.length + slash + other.bytes.length);
    joined[joined.length - other.bytes.length - 1] = '/';
    System.arraycopy(
        other.bytes, 0, joined, joined.length - other.bytes.length, other.bytes.length);
    return new BytePath(joined);
  }

  /** This path relative to a directory with a slash at its end; itself where it is not beneath. */
  public BytePath beneath(BytePath directory) {
    int start = directory.bytes.length;
    boolean isBeneath =
        start < bytes.length && Arrays.equals(bytes, 0, start, directory.bytes, 0, start);
    return isBeneath ? new BytePath(Arrays.copyOfRange(bytes, start, bytes.length)) : this;
  }

  /**
   * The components, without empty ones and "."; the same for relative and absolute paths.
   *
   * @throws IllegalArgumentException if a component is ".." or too long to be a name
   */
  public List<FileName> names() {
    List<FileName> names = new ArrayList<>();
    int start = 0;
    for (int i = 0; i <= bytes.length; i++) {
      if (i == bytes.length || bytes[i] == '/') {
        boolean nothing = i == start || (i == start + 1 && bytes[start] == '.');
        if (!nothing) {
          names.add(FileName.of(Arrays.copyOfRange(bytes, start, i)));
        }
        start = i + 1;
      }
    }
    return names;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof BytePath path && Arrays.equals(bytes, path.bytes);
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
