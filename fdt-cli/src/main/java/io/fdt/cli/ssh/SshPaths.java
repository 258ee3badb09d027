package io.fdt.cli.ssh;

import com.sun.jna.Function;
import com.sun.jna.Memory;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import io.fdt.core.model.BytePath;
import java.util.Arrays;

/**
 * Resolves paths of users of SSH for the server: absolute, without "..", and without links to
 * directories, which a server never follows. Not following links protects exports; here the user
 * has all rights of the server.
 *
 * <p>Calls realpath(3) with bytes: names need not be valid text in the JVM's locale.
 */
final class SshPaths {
  /** The treatment of a link at the end of a path. */
  enum Role {
    /** A link is copied as a link, unless a slash follows. */
    SOURCE('<'),
    /** A link is followed. */
    DESTINATION('>');

    private final byte code;

    Role(char code) {
      this.code = (byte) code;
    }
  }

  private static final int PATH_BYTES = 4096;

  private final BytePath home;

  private SshPaths(BytePath home) {
    this.home = home;
  }

  /** The paths of the user of this process, from the working directory. */
  static SshPaths ofProcess() {
    BytePath here = real(BytePath.of("."));
    return new SshPaths(here == null ? BytePath.of("/") : here);
  }

  /** Paths relative to a directory. */
  static SshPaths in(BytePath directory) {
    return new SshPaths(directory);
  }

  /** A path with its role, as {@link #resolve} takes it; never empty. */
  static BytePath question(BytePath typed, Role role) {
    byte[] bytes = new byte[typed.length() + 1];
    bytes[0] = role.code;
    System.arraycopy(typed.bytes(), 0, bytes, 1, typed.length());
    return BytePath.of(bytes);
  }

  /** The path for the server; unchanged if there is no such file. */
  BytePath resolve(BytePath question) {
    byte[] bytes = question.bytes();
    boolean isDestination = bytes.length > 0 && bytes[0] == Role.DESTINATION.code;
    BytePath typed =
        BytePath.of(Arrays.copyOfRange(bytes, Math.min(1, bytes.length), bytes.length));
    return resolve(withoutTilde(typed), isDestination ? Role.DESTINATION : Role.SOURCE);
  }

  /** Resolves a path in which {@code ~} is a name. */
  BytePath resolve(BytePath typed, Role role) {
    BytePath path = home.resolve(typed);
    byte[] last = lastName(path);
    boolean isWhole = last.length == 0 || isDots(last);
    if (isWhole || role == Role.DESTINATION) {
      BytePath real = real(path);
      if (real != null) {
        return path.endsWithSlash() || (last.length == 1 && isWhole) ? withSlash(real) : real;
      }
    }
    return withRealParent(path);
  }

  private static BytePath withRealParent(BytePath path) {
    byte[] bytes = path.bytes();
    int end = bytes.length;
    while (end > 1 && bytes[end - 1] == '/') {
      end--;
    }
    int name = end;
    while (name > 0 && bytes[name - 1] != '/') {
      name--;
    }
    BytePath parent = real(BytePath.of(Arrays.copyOf(bytes, name)));
    return parent == null
        ? path
        : parent.resolve(BytePath.of(Arrays.copyOfRange(bytes, name, bytes.length)));
  }

  private static BytePath withoutTilde(BytePath typed) {
    byte[] bytes = typed.bytes();
    boolean isHome = bytes.length > 0 && bytes[0] == '~' && (bytes.length == 1 || bytes[1] == '/');
    return isHome
        ? BytePath.of(Arrays.copyOfRange(bytes, Math.min(2, bytes.length), bytes.length))
        : typed;
  }

  /** The name after the last slash. */
  private static byte[] lastName(BytePath path) {
    byte[] bytes = path.bytes();
    int name = bytes.length;
    while (name > 0 && bytes[name - 1] != '/') {
      name--;
    }
    return Arrays.copyOfRange(bytes, name, bytes.length);
  }

  private static boolean isDots(byte[] name) {
    return name.length <= 2 && name[0] == '.' && name[name.length - 1] == '.';
  }

  private static BytePath withSlash(BytePath path) {
    if (path.endsWithSlash()) {
      return path;
    }
    byte[] bytes = Arrays.copyOf(path.bytes(), path.length() + 1);
    bytes[path.length()] = '/';
    return BytePath.of(bytes);
  }

  /** The real path; null if there is no such file. */
  private static BytePath real(BytePath path) {
    byte[] terminated = Arrays.copyOf(path.bytes(), path.length() + 1);
    try (Memory resolved = new Memory(PATH_BYTES + 1L)) {
      Function realpath = NativeLibrary.getProcess().getFunction("realpath");
      Pointer result = realpath.invokePointer(new Object[] {terminated, resolved});
      if (result == null) {
        return null;
      }
      byte[] bytes = resolved.getByteArray(0, PATH_BYTES);
      int length = 0;
      while (length < bytes.length && bytes[length] != 0) {
        length++;
      }
      return BytePath.of(Arrays.copyOf(bytes, length));
    }
  }
}
