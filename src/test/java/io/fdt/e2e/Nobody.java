package io.fdt.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.List;

/** A user without privileges: whoever runs the tests, or the user 65534 where that is root. */
public final class Nobody {
  private static final List<String> AS_NOBODY =
      List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups");

  private Nobody() {}

  /** The words to put before a command. Skips the test where root cannot become somebody else. */
  public static List<String> prefix() {
    if (!isRoot()) {
      return List.of();
    }
    Programs.require("setpriv");
    return AS_NOBODY;
  }

  /** Whether this user can read a file where it is. */
  public static boolean canRead(Path file) {
    if (!isRoot()) {
      return true;
    }
    try {
      for (Path path = file; path != null; path = path.getParent()) {
        PosixFilePermission needed =
            path.equals(file)
                ? PosixFilePermission.OTHERS_READ
                : PosixFilePermission.OTHERS_EXECUTE;
        if (!Files.getPosixFilePermissions(path).contains(needed)) {
          return false;
        }
      }
      return true;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A copy of a file that every user can read. */
  public static Path copyOf(Path file, Path directory) {
    Path copy = directory.resolve(file.getFileName());
    try {
      if (!Files.exists(copy)) {
        Files.copy(file, copy);
      }
      return copy;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A home with the same keys, which this user can read. */
  public static Path home(Path directory) {
    Path home = directory.resolve("home-of-nobody");
    Shell.run(directory, "rm -rf '" + home + "'; mkdir -p home; cp -a home '" + home + "'");
    if (isRoot()) {
      Shell.run(directory, "chown -R 65534:65534 '" + home + "'");
    }
    return home;
  }

  /** Whether these tests run as root. */
  public static boolean isRoot() {
    return new String(Shell.run(Path.of("/"), "id -u"), StandardCharsets.US_ASCII)
        .strip()
        .equals("0");
  }
}
