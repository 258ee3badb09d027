package io.fdt.storage.local.destination.replace;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.FileName;
import io.fdt.core.storage.name.TemporaryName;
import io.fdt.storage.local.os.Directory;
import io.fdt.storage.local.os.FileCreationMask;
import io.fdt.storage.local.os.FileDescriptor;
import io.fdt.storage.local.os.Syscalls;
import io.fdt.storage.posix.Errno;
import io.fdt.storage.posix.Flags;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * The name of an entry that is moved aside for a replacement. A transfer that dies in between
 * leaves the name empty; a note records the name of the old entry.
 *
 * <pre>
 *   name -> .fdt-0123456789abcdef.old     .fdt-0123456789abcdef.old.name holds "name", is locked
 *   new  -> name                          the note is removed
 * </pre>
 *
 * <p>Confined to the thread that creates it.
 */
public final class ReplacedName implements AutoCloseable {
  /** The state of an entry that was moved aside. */
  public enum State {
    /** The name is taken, or the old entry is gone: it can be removed. */
    REPLACED,
    /** The entry got its name back, or would get it. */
    PUT_BACK,
    /** A running transfer is replacing it. */
    IN_USE
  }

  private static final int MAKE = Flags.O_RDWR | Flags.O_CREAT | Flags.O_EXCL | Flags.O_NOFOLLOW;
  private static final int LOOK = Flags.O_RDWR | Flags.O_NOFOLLOW | Flags.O_NONBLOCK;

  private final int pinned;
  private final FileName note;
  private final FileDescriptor file;
  private boolean isNeeded;

  private ReplacedName(int pinned, FileName note, FileDescriptor file) {
    this.pinned = pinned;
    this.note = note;
    this.file = file;
  }

  /**
   * Records a name.
   *
   * @param number of the temporary name
   * @param doing for the message of a failure
   */
  public static ReplacedName note(
      Directory directory, int pinned, long number, FileName name, String doing)
      throws FdtException {
    FileName note = TemporaryName.Kind.OLD_NAME.name(number);
    int descriptor = Syscalls.open(pinned, note, MAKE, FileCreationMask.TEMPORARY);
    if (descriptor < 0) {
      throw Errno.ofName(-descriptor, doing, directory.pathOf(name));
    }
    int unused = Syscalls.tryLock(descriptor); // without locks, nothing is moved back
    ReplacedName made =
        new ReplacedName(
            pinned, note, new FileDescriptor(descriptor, () -> directory.pathOf(note)));
    try {
      made.file.write(Unpooled.wrappedBuffer(name.bytes()), 0);
    } catch (FdtException e) {
      made.close();
      throw e;
    }
    return made;
  }

  /** The old entry did not get its name back. */
  public void isStillNeeded() {
    isNeeded = true;
  }

  @Override
  public void close() {
    if (!isNeeded) {
      Syscalls.unlink(pinned, note);
    }
    file.close();
  }

  /**
   * Moves an entry back that a dead transfer had moved aside, if its name is free.
   *
   * @param number of the temporary name
   * @param change false for a dry run
   * @throws FdtException it is not moved
   */
  public static State settle(Directory directory, long number, boolean change) throws FdtException {
    FileName old = TemporaryName.Kind.OLD.name(number);
    FileName note = TemporaryName.Kind.OLD_NAME.name(number);
    int pinned = directory.pin();
    try {
      int descriptor = Syscalls.open(pinned, note, LOOK, 0);
      if (descriptor == -Errno.ENOENT || descriptor == -Errno.ELOOP) {
        return State.REPLACED;
      }
      if (descriptor < 0) {
        throw Errno.ofName(-descriptor, "read", directory.pathOf(note));
      }
      try (FileDescriptor file = new FileDescriptor(descriptor, () -> directory.pathOf(note))) {
        if (Syscalls.tryLock(descriptor) < 0) {
          return State.IN_USE;
        }
        return settle(directory, pinned, old, note, nameIn(file), change);
      }
    } finally {
      directory.unpin();
    }
  }

  private static State settle(
      Directory directory, int pinned, FileName old, FileName note, FileName name, boolean change)
      throws FdtException {
    boolean isThere = directory.find(old) != null;
    if (isThere && name == null) {
      throw new FdtException(
          ErrorCode.BAD_NAME,
          "'%s' was moved aside, and '%s' does not contain its old name: rename it"
              .formatted(directory.pathOf(old), directory.pathOf(note)));
    }
    boolean goesBack = isThere && directory.find(name) == null;
    if (goesBack && change) {
      int result = Syscalls.renameToFree(pinned, old, pinned, name);
      if (result == -Errno.EINVAL || result == -Errno.ENOSYS || result == -Errno.EOPNOTSUPP) {
        result = Syscalls.rename(pinned, old, name);
      }
      if (result < 0) {
        throw Errno.ofName(-result, "put back", directory.pathOf(name));
      }
    }
    if (change) {
      Syscalls.unlink(pinned, note);
    }
    return goesBack ? State.PUT_BACK : State.REPLACED;
  }

  /** The name in a note; null for an invalid one. */
  public static FileName nameIn(Directory directory, long number) {
    FileName note = TemporaryName.Kind.OLD_NAME.name(number);
    try {
      int pinned = directory.pin();
      int descriptor;
      try {
        descriptor = Syscalls.open(pinned, note, LOOK, 0);
      } finally {
        directory.unpin();
      }
      if (descriptor < 0) {
        return null;
      }
      try (FileDescriptor file = new FileDescriptor(descriptor, () -> directory.pathOf(note))) {
        return nameIn(file);
      }
    } catch (FdtException e) {
      return null;
    }
  }

  private static FileName nameIn(FileDescriptor file) throws FdtException {
    ByteBuf read = Unpooled.directBuffer(FileName.MAX_LENGTH + 1);
    try {
      file.read(read, FileName.MAX_LENGTH + 1, 0);
      byte[] name = new byte[read.readableBytes()];
      read.readBytes(name);
      return FileName.flawOf(name) == null ? FileName.of(name) : null;
    } finally {
      read.release();
    }
  }
}
