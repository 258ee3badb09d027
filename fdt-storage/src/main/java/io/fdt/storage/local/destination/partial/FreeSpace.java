package io.fdt.storage.local.destination.partial;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.FileName;
import io.fdt.core.unit.ByteSize;
import io.fdt.storage.local.os.Directory;
import io.fdt.storage.local.os.Syscalls;
import java.io.IOException;

/** Messages with the free space of a file system. Pure except for the query. */
public final class FreeSpace {
  private FreeSpace() {}

  /** The error with the needed and the free space. */
  public static FdtException explain(
      FdtException full, Directory directory, FileName name, long needed) {
    long free;
    try {
      free = of(directory);
    } catch (IOException e) { // or the directory is gone
      return full;
    }
    // With enough bytes free, inodes or a quota are exhausted: the numbers would mislead.
    String message =
        needed > free
            ? "storage full: '%s' needs %s, and %s are free; make room and run the same command again"
                .formatted(directory.pathOf(name), ByteSize.ofBytes(needed), ByteSize.ofBytes(free))
            : "storage full: " + full.getMessage();
    return new FdtException(full.code(), message, full);
  }

  /** The warning that a directory has no room for {@code needed} bytes; empty if it may have. */
  public static String shortage(Directory directory, String path, long needed) {
    try {
      long free = of(directory);
      return free < needed
          ? "'%s' needs %s, and %s are free; make room before the copy"
              .formatted(path, ByteSize.ofBytes(needed), ByteSize.ofBytes(free))
          : "";
    } catch (IOException e) { // the directory is gone
      return "";
    }
  }

  private static long of(Directory directory) throws IOException {
    int pinned = directory.pin();
    try {
      return Syscalls.freeSpace(pinned);
    } finally {
      directory.unpin();
    }
  }
}
