package io.fdt.core.storage;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.manifest.FileName;

/**
 * Opens files under their temporary names, each with its lock (flock); what is not locked belongs
 * to nobody. Pure functions on directories; each gives a descriptor.
 */
final class LockedPart {
  private static final int CREATE = Posix.O_RDWR | Posix.O_CREAT | Posix.O_EXCL | Posix.O_NOFOLLOW;

  private static final int LOOK = Posix.O_RDWR | Posix.O_NOFOLLOW | Posix.O_NONBLOCK;

  /** Times that somebody may make and remove the temporary file between two of our calls. */
  private static final int ATTEMPTS = 5;

  private LockedPart() {}

  /** The one that an earlier transfer left. */
  static int open(Directory directory, FileName name) throws FdtException {
    int pinned = directory.pin();
    try {
      FileName temporary = TemporaryName.of(name);
      int descriptor = Kernel.open(pinned, temporary, LOOK, 0);
      if (descriptor == -Errno.EACCES) {
        // It died between the mode and the name, and the mode does not let its owner write.
        AbandonedFile.makeWritable(pinned, temporary);
        descriptor = Kernel.open(pinned, temporary, LOOK, 0);
      }
      if (descriptor < 0) {
        throw Errno.ofName(-descriptor, "continue", directory.pathOf(name));
      }
      lockOrClose(descriptor, directory, name);
      return descriptor;
    } finally {
      directory.unpin();
    }
  }

  /** A new one; what nobody holds of this name goes away. */
  static int create(Directory directory, FileName name) throws FdtException {
    FileName temporary = TemporaryName.of(name);
    int pinned = directory.pin();
    try {
      for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        int descriptor = Kernel.open(pinned, temporary, CREATE, TemporaryName.MODE);
        if (descriptor >= 0) {
          if (Kernel.tryLock(descriptor) != -Errno.EAGAIN
              && AbandonedFile.isAt(pinned, temporary, descriptor)) {
            return descriptor;
          }
          Kernel.close(descriptor); // taken for a dead one before it was locked
          continue;
        }
        if (descriptor != -Errno.EEXIST) {
          throw Errno.ofName(-descriptor, "create", directory.pathOf(name));
        }
        int result = AbandonedFile.remove(pinned, TemporaryName.number(name));
        if (result == AbandonedFile.IN_USE) {
          throw inUse(directory, name);
        }
        if (result < 0 && result != -Errno.ENOENT) {
          throw Errno.ofName(-result, "replace the unfinished file", directory.pathOf(temporary));
        }
      }
      throw inUse(directory, name);
    } finally {
      directory.unpin();
    }
  }

  /**
   * Locks a new file. Where the file system knows no locks, its existence alone keeps others away.
   */
  private static void lockOrClose(int descriptor, Directory directory, FileName name)
      throws FdtException {
    if (Kernel.tryLock(descriptor) == -Errno.EAGAIN) {
      Kernel.close(descriptor);
      throw inUse(directory, name);
    }
  }

  /** Why not. */
  static FdtException inUse(Directory directory, FileName name) {
    return new FdtException(
        ErrorCode.IN_USE,
        "another transfer is writing '"
            + directory.pathOf(name)
            + "'; wait for it (or remove '"
            + TemporaryName.of(name)
            + "' beside it, if there is none)");
  }
}
