package io.fdt.storage.local.destination;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.FileCut;
import io.fdt.core.model.FileName;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.TemporaryName;
import io.fdt.storage.local.os.Directory;
import io.fdt.storage.local.os.Errno;
import io.fdt.storage.local.os.LibC;
import io.fdt.storage.local.os.NativeBuffers;
import io.fdt.storage.local.os.Syscalls;
import java.util.Optional;

/**
 * Opens files under their temporary names, each with its lock (flock); what is not locked belongs
 * to nobody. Pure functions on directories; each gives a descriptor.
 */
final class LockedPartial {
  private static final int CREATE = LibC.O_RDWR | LibC.O_CREAT | LibC.O_EXCL | LibC.O_NOFOLLOW;

  private static final int LOOK = LibC.O_RDWR | LibC.O_NOFOLLOW | LibC.O_NONBLOCK;

  /** Times that somebody may make and remove the temporary file between two of our calls. */
  private static final int ATTEMPTS = 5;

  private LockedPartial() {}

  /**
   * The one that ranges of a file are written to, with a lock that others share who write ranges.
   *
   * @return a negative number when there is none, or another one just now
   */
  static int openShared(Directory directory, FileName name) throws FdtException {
    FileName temporary = TemporaryName.of(name);
    int pinned = directory.pin();
    try {
      int descriptor = Syscalls.open(pinned, temporary, LOOK, 0);
      if (descriptor == -Errno.ENOENT) {
        return descriptor;
      }
      if (descriptor < 0) {
        throw Errno.ofName(-descriptor, "continue", directory.pathOf(name));
      }
      return lockedOrClosed(
          descriptor, Syscalls.tryShareLock(descriptor), directory, name, temporary);
    } finally {
      directory.unpin();
    }
  }

  /**
   * The empty file whose lock says that a range is being written; made when it is missing.
   *
   * @param number of the range
   */
  static int openOfRange(Directory directory, FileName name, long number) throws FdtException {
    FileName temporary = TemporaryName.Kind.PART.name(number);
    int pinned = directory.pin();
    try {
      for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        int descriptor = Syscalls.open(pinned, temporary, LOOK | LibC.O_CREAT, TemporaryName.MODE);
        if (descriptor < 0) {
          throw Errno.ofName(-descriptor, "create", directory.pathOf(temporary));
        }
        int locked =
            lockedOrClosed(descriptor, Syscalls.tryLock(descriptor), directory, name, temporary);
        if (locked >= 0) {
          return locked;
        }
      }
      throw inUse(directory, name);
    } finally {
      directory.unpin();
    }
  }

  /**
   * A descriptor whose lock was asked for; negative when its name means another file meanwhile.
   *
   * @throws FdtException IN_USE; IO where the file system knows no locks, which alone keep late
   *     writers of ranges away
   */
  private static int lockedOrClosed(
      int descriptor, int result, Directory directory, FileName name, FileName temporary)
      throws FdtException {
    int pinned = directory.pin();
    try {
      if (result == 0 && AbandonedFile.isAt(pinned, temporary, descriptor)) {
        return descriptor;
      }
    } finally {
      directory.unpin();
    }
    requireIdentity(descriptor, directory, name);
    Syscalls.close(descriptor);
    if (result == 0) {
      return -Errno.ENOENT;
    }
    if (result == -Errno.EAGAIN) {
      throw inUse(directory, name);
    }
    throw Errno.ofName(-result, "lock", directory.pathOf(name));
  }

  /** The one that an earlier transfer left. */
  static int open(Directory directory, FileName name) throws FdtException {
    int pinned = directory.pin();
    try {
      FileName temporary = TemporaryName.of(name);
      int descriptor = Syscalls.open(pinned, temporary, LOOK, 0);
      if (descriptor == -Errno.EACCES) {
        // It died between the mode and the name, and the mode does not let its owner write.
        AbandonedFile.makeWritable(pinned, temporary);
        descriptor = Syscalls.open(pinned, temporary, LOOK, 0);
      }
      if (descriptor < 0) {
        throw Errno.ofName(-descriptor, "continue", directory.pathOf(name));
      }
      lockOrClose(descriptor, directory, name);
      if (!AbandonedFile.isAt(pinned, temporary, descriptor)) {
        Syscalls.close(descriptor);
        throw inUse(directory, name); // it has got its final name meanwhile
      }
      return descriptor;
    } finally {
      directory.unpin();
    }
  }

  /** A new one; what nobody holds of this name goes away. */
  static int create(Directory directory, FileName name) throws FdtException {
    FileName temporary = TemporaryName.of(name);
    Optional<FileCut> cut = Optional.empty();
    int pinned = directory.pin();
    try {
      for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        int descriptor = Syscalls.open(pinned, temporary, CREATE, TemporaryName.MODE);
        if (descriptor >= 0) {
          if (Syscalls.tryLock(descriptor) != -Errno.EAGAIN
              && AbandonedFile.isAt(pinned, temporary, descriptor)) {
            if (cut.isPresent()) {
              RangeJournals.removeRanges(directory, name, cut.get());
            }
            return descriptor;
          }
          requireIdentity(descriptor, directory, name);
          Syscalls.close(descriptor); // taken for a dead one before it was locked
          continue;
        }
        if (descriptor != -Errno.EEXIST) {
          throw refused(-descriptor, directory, name);
        }
        cut = RangeJournals.cutOf(directory, name);
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
   * Looks twice at an open file whose name seems to mean another one.
   *
   * @throws FdtException IO, with the file removed and closed, where the file system gives one file
   *     several inode numbers: no lock tells there who writes it
   */
  private static void requireIdentity(int descriptor, Directory directory, FileName name)
      throws FdtException {
    if (Syscalls.statx(descriptor) < 0) {
      return;
    }
    Attributes first = NativeBuffers.ofThread().attributes();
    if (Syscalls.statx(descriptor) < 0 || NativeBuffers.ofThread().attributes().isSameFile(first)) {
      return;
    }
    int pinned = directory.pin();
    try {
      Syscalls.unlink(pinned, TemporaryName.of(name));
    } finally {
      directory.unpin();
    }
    Syscalls.close(descriptor);
    throw new FdtException(
        ErrorCode.IO,
        "the file system of '"
            + directory.pathOf(name)
            + "' changes the inode numbers of its files, so FDT cannot lock them; choose a"
            + " destination on another file system");
  }

  /** Whoever may not make any file in a directory hears of the directory: it is told once. */
  private static FdtException refused(int errno, Directory directory, FileName name) {
    return switch (Errno.codeOf(errno)) {
      case PERMISSION, READ_ONLY -> Errno.ofName(errno, "create files in", directory.path());
      default -> Errno.ofName(errno, "create", directory.pathOf(name));
    };
  }

  /**
   * Locks a new file. Where the file system knows no locks, its existence alone keeps others away.
   */
  private static void lockOrClose(int descriptor, Directory directory, FileName name)
      throws FdtException {
    if (Syscalls.tryLock(descriptor) == -Errno.EAGAIN) {
      Syscalls.close(descriptor);
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
