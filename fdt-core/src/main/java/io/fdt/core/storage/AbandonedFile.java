package io.fdt.core.storage;

import io.fdt.core.manifest.EntryKind;
import io.fdt.core.manifest.FileName;

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

  private static final int LOOK = Posix.O_RDONLY | Posix.O_NOFOLLOW | Posix.O_NONBLOCK;

  private static final int MAKE = Posix.O_RDONLY | Posix.O_CREAT | Posix.O_EXCL | Posix.O_NOFOLLOW;

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
    int descriptor = Kernel.open(pinned, temporary, LOOK, 0);
    if (descriptor < 0) {
      return descriptor;
    }
    try {
      if (Kernel.tryLock(descriptor) < 0 || !isAt(pinned, temporary, descriptor)) {
        return IN_USE;
      }
      int result = remove ? Kernel.unlink(pinned, temporary) : 0;
      if (remove && result == 0) {
        PartialJournal.remove(pinned, number);
      }
      return result;
    } finally {
      Kernel.close(descriptor);
    }
  }

  /**
   * Removes a journal that has no file beside it, unless a transfer makes one meanwhile: whoever
   * has the file of that name and its lock may touch the journal.
   *
   * @return as {@link #remove}
   */
  static int removeJournalAlone(int pinned, long number) {
    FileName temporary = TemporaryName.Kind.PART.name(number);
    int descriptor = Kernel.open(pinned, temporary, MAKE, TemporaryName.MODE);
    if (descriptor < 0) {
      return descriptor == -Errno.EEXIST ? IN_USE : descriptor;
    }
    Kernel.close(descriptor);
    return remove(pinned, number);
  }

  /** Lets the owner of a temporary file that nobody holds write to it. */
  static void makeWritable(int pinned, FileName temporary) {
    int descriptor = Kernel.open(pinned, temporary, LOOK, 0);
    if (descriptor >= 0) {
      if (Kernel.tryLock(descriptor) == 0 && isAt(pinned, temporary, descriptor)) {
        Kernel.chmod(descriptor, TemporaryName.MODE);
      }
      Kernel.close(descriptor);
    }
  }

  /**
   * Whether a name means this open file, and that is a regular one.
   *
   * <p>Its link count would not tell: NFS and FUSE give a file that is removed while it is open
   * another name, and the count stays 1.
   */
  static boolean isAt(int pinned, FileName name, int descriptor) {
    if (Kernel.statx(descriptor) < 0) {
      return false;
    }
    Attributes open = Scratch.ofThread().attributes();
    return open.is(EntryKind.FILE)
        && Kernel.statx(pinned, name) == 0
        && Scratch.ofThread().attributes().isSameFile(open);
  }
}
