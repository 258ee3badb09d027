package io.fdt.storage.local.destination;

import io.fdt.core.error.FdtException;
import io.fdt.storage.local.os.Directory;
import io.fdt.storage.local.os.Syscalls;

/** The most bytes of a file, as far as the type of a file system says. Pure but for the call. */
final class SizeLimit {
  /** The type of FAT in statfs(2): MSDOS_SUPER_MAGIC. */
  private static final long FAT = 0x4D44;

  private static final long MOST_OF_FAT = (4L << 30) - 1;

  private SizeLimit() {}

  static long of(Directory directory) throws FdtException {
    int pinned = directory.pin();
    try {
      return Syscalls.fileSystemType(pinned) == FAT ? MOST_OF_FAT : Long.MAX_VALUE;
    } finally {
      directory.unpin();
    }
  }
}
