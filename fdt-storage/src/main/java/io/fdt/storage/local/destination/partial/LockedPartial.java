package io.fdt.storage.local.destination.partial;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.FileCut;
import io.fdt.core.model.FileName;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.name.TemporaryName;
import io.fdt.storage.local.os.Directory;
import io.fdt.storage.local.os.FileCreationMask;
import io.fdt.storage.local.os.Syscalls;
import io.fdt.storage.posix.Errno;
import io.fdt.storage.posix.Flags;
import java.util.Optional;

/**
 * Opens temporary files with their locks (flock); an unlocked file is abandoned. Pure functions on
 * directories that return descriptors.
 */
public final class LockedPartial {
  private static final int CREATE = Flags.O_RDWR | Flags.O_CREAT | Flags.O_EXCL | Flags.O_NOFOLLOW;

  private static final int LOOK = Flags.O_RDWR | Flags.O_NOFOLLOW | Flags.O_NONBLOCK;

  /** Attempts, while another process creates and removes the temporary file between two calls. */
  private static final int ATTEMPTS = 5;

  private LockedPartial() {}

  /**
   * The partial file of ranges, with a lock shared by all writers of ranges.
   *
   * @return negative when there is none, or when it was just replaced
   */
  public static int openShared(Directory directory, FileName name) throws FdtException {
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
   * The empty file whose lock marks a range as being written; created when missing.
   *
   * @param number of the range
   */
  public static int openOfRange(Directory directory, FileName name, long number)
      throws FdtException {
    FileName temporary = TemporaryName.Kind.PART.name(number);
    int pinned = directory.pin();
    try {
      for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        int descriptor =
            Syscalls.open(pinned, temporary, LOOK | Flags.O_CREAT, FileCreationMask.TEMPORARY);
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
   * A locked descriptor; negative if the name refers to another file now.
   *
   * @throws FdtException IN_USE; IO on a file system without locks, which are the only protection
   *     from late writers of ranges
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

  /** The file of an earlier transfer. */
  public static int open(Directory directory, FileName name) throws FdtException {
    int pinned = directory.pin();
    try {
      FileName temporary = TemporaryName.of(name);
      int descriptor = Syscalls.open(pinned, temporary, LOOK, 0);
      if (descriptor == -Errno.EACCES) {
        // The transfer died between setting the mode and the name, and the mode denies its owner
        // writing.
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

  /** A new file; removes an abandoned one of the name. */
  public static int create(Directory directory, FileName name) throws FdtException {
    FileName temporary = TemporaryName.of(name);
    Optional<FileCut> cut = Optional.empty();
    int pinned = directory.pin();
    try {
      for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        int descriptor = Syscalls.open(pinned, temporary, CREATE, FileCreationMask.TEMPORARY);
        if (descriptor >= 0) {
          if (Syscalls.tryLock(descriptor) != -Errno.EAGAIN
              && AbandonedFile.isAt(pinned, temporary, descriptor)) {
            if (cut.isPresent()) {
              RangeJournals.removeRanges(directory, name, cut.get());
            }
            return descriptor;
          }
          requireIdentity(descriptor, directory, name);
          Syscalls.close(descriptor); // counted as abandoned before it was locked
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
   * Checks an open file again whose name seems to refer to another one.
   *
   * @throws FdtException IO, with the file removed and closed, where the file system gives one file
   *     several inode numbers: locks do not protect it there
   */
  private static void requireIdentity(int descriptor, Directory directory, FileName name)
      throws FdtException {
    if (Syscalls.statx(descriptor) < 0) {
      return;
    }
    Attributes first = Syscalls.attributes();
    if (Syscalls.statx(descriptor) < 0 || Syscalls.attributes().isSameFile(first)) {
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

  /** Errors that affect all files of a directory name the directory, and are reported once. */
  private static FdtException refused(int errno, Directory directory, FileName name) {
    return switch (Errno.codeOf(errno)) {
      case PERMISSION, READ_ONLY -> Errno.ofName(errno, "create files in", directory.path());
      default -> Errno.ofName(errno, "create", directory.pathOf(name));
    };
  }

  /**
   * Locks a new file. Where the file system has no locks, the existence of the file is the only
   * protection.
   */
  private static void lockOrClose(int descriptor, Directory directory, FileName name)
      throws FdtException {
    if (Syscalls.tryLock(descriptor) == -Errno.EAGAIN) {
      Syscalls.close(descriptor);
      throw inUse(directory, name);
    }
  }

  public static FdtException inUse(Directory directory, FileName name) {
    return new FdtException(
        ErrorCode.IN_USE,
        "another transfer is writing '"
            + directory.pathOf(name)
            + "'; wait for it (or remove '"
            + TemporaryName.of(name)
            + "' beside it, if there is none)");
  }
}
