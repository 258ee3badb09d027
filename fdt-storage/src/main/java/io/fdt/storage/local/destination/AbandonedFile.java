package io.fdt.storage.local.destination;

import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.TemporaryName;
import io.fdt.storage.local.os.Errno;
import io.fdt.storage.local.os.LibC;
import io.fdt.storage.local.os.NativeBuffers;
import io.fdt.storage.local.os.Syscalls;

/**
 * What a transfer that died left under the temporary names of one number: how to tell it from what
 * a running one holds, and how to remove it. Any thread.
 *
 * <p>A running transfer has the lock (flock) of its temporary file, which ends with its process,
 * however that ends. Where the file system knows no locks nothing can be told, and all counts as in
 * use.
 */
final class AbandonedFile {
  /** No error number: somebody holds it, or may do so. */
  static final int IN_USE = Integer.MIN_VALUE;

  private static final int LOOK = LibC.O_NOFOLLOW | LibC.O_NONBLOCK;

  private static final int MAKE = LibC.O_RDONLY | LibC.O_CREAT | LibC.O_EXCL | LibC.O_NOFOLLOW;

  private AbandonedFile() {}

  /**
   * Removes the temporary file and its journal unless somebody holds them. Only who has the lock
   * may do that, and only while the name means the locked file.
   *
   * @return 0, {@link #IN_USE}, or a negative error number
   */
  static int remove(int pinned, long number) {
    return locked(pinned, number, true);
  }

  /** The same without removing anything. */
  static int examine(int pinned, long number) {
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
   * Opens it for writing, although nothing is written: NFS gives an exclusive lock only then. What
   * may not be written can be locked on local file systems.
   */
  private static int openToLock(int pinned, FileName temporary) {
    int descriptor = Syscalls.open(pinned, temporary, LOOK | LibC.O_RDWR, 0);
    return descriptor >= 0 || descriptor == -Errno.ENOENT || descriptor == -Errno.ELOOP
        ? descriptor
        : Syscalls.open(pinned, temporary, LOOK | LibC.O_RDONLY, 0);
  }

  /**
   * Removes a journal that has no file beside it, unless a transfer makes one meanwhile: whoever
   * has the file of that name and its lock may touch the journal.
   *
   * @return as {@link #remove}
   */
  static int removeJournalAlone(int pinned, long number) {
    FileName temporary = TemporaryName.Kind.PART.name(number);
    int descriptor = Syscalls.open(pinned, temporary, MAKE, TemporaryName.MODE);
    if (descriptor < 0) {
      return descriptor == -Errno.EEXIST ? IN_USE : descriptor;
    }
    Syscalls.close(descriptor);
    return remove(pinned, number);
  }

  /** Lets the owner of a temporary file that nobody holds write to it. */
  static void makeWritable(int pinned, FileName temporary) {
    int descriptor = openToLock(pinned, temporary);
    if (descriptor >= 0) {
      if (Syscalls.tryLock(descriptor) == 0 && isAt(pinned, temporary, descriptor)) {
        Syscalls.chmod(descriptor, TemporaryName.MODE);
      }
      Syscalls.close(descriptor);
    }
  }

  /**
   * Whether a name means this open file, and that is a regular one.
   *
   * <p>Its link count would not tell: NFS and FUSE give a file that is removed while it is open
   * another name, and the count stays 1.
   */
  static boolean isAt(int pinned, FileName name, int descriptor) {
    if (Syscalls.statx(descriptor) < 0) {
      return false;
    }
    Attributes open = NativeBuffers.ofThread().attributes();
    return open.is(EntryKind.FILE)
        && Syscalls.statx(pinned, name) == 0
        && NativeBuffers.ofThread().attributes().isSameFile(open);
  }
}
