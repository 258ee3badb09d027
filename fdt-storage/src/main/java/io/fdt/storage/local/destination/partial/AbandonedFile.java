package io.fdt.storage.local.destination.partial;

import io.fdt.core.model.FileName;
import io.fdt.core.storage.name.TemporaryName;
import io.fdt.storage.local.os.FileCreationMask;
import io.fdt.storage.local.os.Syscalls;
import io.fdt.storage.posix.Errno;
import io.fdt.storage.posix.Flags;

/**
 * Detects and removes the leftovers of a dead transfer under the temporary names of one number. Any
 * thread.
 *
 * <p>A running transfer holds the lock (flock) of its temporary file; the lock ends with its
 * process. Where the file system has no locks, every file counts as in use.
 */
public final class AbandonedFile {
  /** Not an error number: the file is, or may be, held by a running transfer. */
  public static final int IN_USE = Integer.MIN_VALUE;

  private static final int LOOK = Flags.O_NOFOLLOW | Flags.O_NONBLOCK;

  private static final int MAKE = Flags.O_RDONLY | Flags.O_CREAT | Flags.O_EXCL | Flags.O_NOFOLLOW;

  private AbandonedFile() {}

  /**
   * Removes the temporary file and its journal unless they are held. Requires the lock, and that
   * the name still refers to the locked file.
   *
   * @return 0, {@link #IN_USE}, or a negative error number
   */
  public static int remove(int pinned, long number) {
    return locked(pinned, number, true);
  }

  /** As {@link #remove}, without removing anything. */
  public static int examine(int pinned, long number) {
    return locked(pinned, number, false);
  }

  private static int locked(int pinned, long number, boolean remove) {
    FileName temporary = TemporaryName.Kind.PART.name(number);
    int descriptor = openToLock(pinned, temporary);
    if (descriptor < 0) {
      return descriptor;
    }
    try {
      if (Syscalls.tryLock(descriptor) < 0 || !isAt(pinned, temporary, descriptor)) {
        return IN_USE;
      }
      int result = remove ? Syscalls.unlink(pinned, temporary) : 0;
      if (remove && result == 0) {
        PartialJournal.remove(pinned, number);
      }
      return result;
    } finally {
      Syscalls.close(descriptor);
    }
  }

  /**
   * Opens the file for writing, without writing: NFS gives an exclusive lock only then. On local
   * file systems, unwritable files can be locked too.
   */
  private static int openToLock(int pinned, FileName temporary) {
    int descriptor = Syscalls.open(pinned, temporary, LOOK | Flags.O_RDWR, 0);
    return descriptor >= 0 || descriptor == -Errno.ENOENT || descriptor == -Errno.ELOOP
        ? descriptor
        : Syscalls.open(pinned, temporary, LOOK | Flags.O_RDONLY, 0);
  }

  /**
   * Removes a journal without a file, unless a transfer creates the file meanwhile: the holder of
   * that file and its lock owns the journal.
   *
   * @return as {@link #remove}
   */
  public static int removeJournalAlone(int pinned, long number) {
    FileName temporary = TemporaryName.Kind.PART.name(number);
    int descriptor = Syscalls.open(pinned, temporary, MAKE, FileCreationMask.TEMPORARY);
    if (descriptor < 0) {
      return descriptor == -Errno.EEXIST ? IN_USE : descriptor;
    }
    Syscalls.close(descriptor);
    return remove(pinned, number);
  }

  /** Makes an abandoned temporary file writable for its owner. */
  public static void makeWritable(int pinned, FileName temporary) {
    int descriptor = openToLock(pinned, temporary);
    if (descriptor >= 0) {
      if (Syscalls.tryLock(descriptor) == 0 && isAt(pinned, temporary, descriptor)) {
        Syscalls.chmod(descriptor, FileCreationMask.TEMPORARY);
      }
      Syscalls.close(descriptor);
    }
  }

  /**
   * Whether a name refers to this open regular file.
   *
   * <p>The link count does not show it: NFS and FUSE rename a file that is removed while open, and
   * the count stays 1.
   */
  public static boolean isAt(int pinned, FileName name, int descriptor) {
    return Syscalls.isAt(pinned, name, descriptor);
  }
}
