package io.fdt.storage.portable;

import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/**
 * Paths of Unix as bytes. Java keeps a path as bytes: its string has only those of the locale's
 * encoding, its URI has all. Pure functions.
 */
final class UnixNames {
  /** Stands for bytes that a string has not. */
  private static final char REPLACEMENT = '\uFFFD';

  private static final int LAST_ASCII = 0x7F;
  private static final boolean IS_UTF_8 =
      System.getProperty("sun.jnu.encoding", "").equals(StandardCharsets.UTF_8.name());

  private UnixNames() {}

  /**
   * A path.
   *
   * @throws InvalidPathException it has a NUL
   */
  static Path path(byte[] bytes) {
    String text = text(bytes);
    if (text != null && isExact(text)) {
      return Path.of(text);
    }
    StringBuilder uri = new StringBuilder("file:///");
    for (byte b : bytes) {
      if (b != '/') {
        uri.append("%%%02X".formatted(b));
      } else if (uri.charAt(uri.length() - 1) != '/') {
        uri.append('/');
      }
    }
    try {
      Path path = Path.of(URI.create(uri.toString()));
      return bytes[0] == '/' ? path : path.subpath(0, path.getNameCount());
    } catch (IllegalArgumentException e) {
      throw new InvalidPathException(uri.toString(), "no path");
    }
  }

  /** Null for no UTF-8. */
  private static String text(byte[] bytes) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      return null;
    }
  }

  /** Whether the string of a path is its bytes as UTF-8. */
  private static boolean isExact(String text) {
    return IS_UTF_8
        ? text.indexOf(REPLACEMENT) < 0
        : text.chars().allMatch(character -> character <= LAST_ASCII);
  }

  static byte[] bytes(Path path) {
    String text = path.toString();
    if (isExact(text)) {
      return text.getBytes(StandardCharsets.UTF_8);
    }
    String uri = Path.of("/").resolve(path).toUri().getRawPath();
    boolean isMarked = uri.endsWith("/") && !text.endsWith("/"); // a directory has this name
    int end = isMarked ? uri.length() - 1 : uri.length();
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(end);
    for (int at = path.isAbsolute() ? 0 : 1; at < end; at++) {
      if (uri.charAt(at) == '%') {
        bytes.write(Integer.parseInt(uri, at + 1, at + 3, 16));
        at += 2;
      } else {
        bytes.write(uri.charAt(at));
      }
    }
    return bytes.toByteArray();
  }
}
