package io.fdt.storage.local.destination.partial;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.FileName;
import io.fdt.core.unit.ByteSize;
import io.fdt.storage.local.os.Directory;
import io.fdt.storage.local.os.Syscalls;
import java.io.IOException;

/** Adds numbers to the message of a full file system. Pure except for the query. */
public final class FreeSpace {
  private FreeSpace() {}

  /** The error with the needed and the free space. */
  public static FdtException explain(
      FdtException full, Directory directory, FileName name, long needed) {
    long free;
    try {
      int pinned = directory.pin();
      try {
        free = Syscalls.freeSpace(pinned);
      } finally {
        directory.unpin();
      }
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
}
