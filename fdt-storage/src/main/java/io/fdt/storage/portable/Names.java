package io.fdt.storage.portable;

import io.fdt.core.model.PathStyle;
import io.fdt.core.model.WindowsName;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.regex.Pattern;

/** Names and paths of a file system as bytes: UTF-8, on Unix any. Immutable. */
final class Names {
  /** Stands for what a name of the system has and a string has not. */
  private static final char REPLACEMENT = '\uFFFD';

  /** At most eight characters, with a tilde, and an extension of at most three. */
  private static final Pattern SHORT = Pattern.compile("(?=.*~)[^.]{1,8}(\\.[^.]{0,3})?");

  private final FileSystem files;
  private final PathStyle style;
  private final boolean isUnix;

  Names(FileSystem files) {
    this.files = files;
    this.style = PathStyle.of(files.getSeparator());
    this.isUnix = style == PathStyle.UNIX && files.equals(FileSystems.getDefault());
  }

  boolean isWindows() {
    return style == PathStyle.WINDOWS;
  }

  /**
   * A path.
   *
   * @throws InvalidPathException the system does not allow it
   */
  Path path(byte[] bytes) {
    if (isUnix) {
      return UnixNames.path(bytes);
    }
    try {
      return files.getPath(
          style.ofSystem(
              StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString()));
    } catch (CharacterCodingException e) {
      throw new InvalidPathException(new String(bytes, StandardCharsets.UTF_8), "no UTF-8");
    }
  }

  /**
   * The name of one entry of a directory.
   *
   * @throws InvalidPathException also for one that leads elsewhere, such as C: or nul on Windows
   */
  Path name(byte[] bytes) {
    Path name = path(bytes);
    if ((isWindows() && !WindowsName.isPossible(name.toString()))
        || name.isAbsolute()
        || name.getRoot() != null
        || name.getNameCount() != 1) {
      throw new InvalidPathException(name.toString(), "no name");
    }
    return name;
  }

  /** Whether a name has the form of those that Windows makes up for longer ones. */
  boolean mayBeShort(Path name) {
    return isWindows() && SHORT.matcher(name.toString()).matches();
  }

  /** The bytes of a path; characters that UTF-8 lacks (half of a pair) are replaced. */
  byte[] bytes(Path path) {
    return isUnix ? UnixNames.bytes(path) : bytes(path.toString());
  }

  /** The bytes of a link's target, with slashes. */
  byte[] target(Path path) {
    return isUnix ? UnixNames.bytes(path) : bytes(style.slashed(path.toString()));
  }

  private static byte[] bytes(String text) {
    try {
      ByteBuffer encoded = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
      byte[] bytes = new byte[encoded.remaining()];
      encoded.get(bytes);
      return bytes;
    } catch (CharacterCodingException e) {
      StringBuilder replaced = new StringBuilder();
      text.codePoints()
          .map(point -> Character.getType(point) == Character.SURROGATE ? REPLACEMENT : point)
          .forEach(replaced::appendCodePoint);
      return replaced.toString().getBytes(StandardCharsets.UTF_8);
    }
  }

  /** Whether a name may stand for one that cannot be given as bytes, see {@link #bytes}. */
  boolean mayBeReplaced(Path name) {
    return !isUnix && name.toString().indexOf(REPLACEMENT) >= 0;
  }
}
