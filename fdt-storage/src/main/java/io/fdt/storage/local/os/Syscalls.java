package io.fdt.storage.local.os;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Timestamp;
import io.fdt.core.storage.Attributes;
import io.fdt.storage.posix.Errno;
import io.fdt.storage.posix.FileCalls;
import io.fdt.storage.posix.Flags;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/** The {@link FileCalls} of this process, and a count of open descriptors. Any thread. */
public final class Syscalls {
  private static final FileCalls CALLS = new LinuxCalls();

  private static final AtomicInteger OPEN_DESCRIPTORS = new AtomicInteger();

  private Syscalls() {}

  /**
   * Called before any file is opened.
   *
   * @throws FdtException on an unsupported platform
   */
  public static void require() throws FdtException {
    String obstacle = CALLS.obstacle();
    if (obstacle != null) {
      throw new FdtException(ErrorCode.INTERNAL, obstacle);
    }
  }

  /** Descriptors opened here and not closed. */
  public static int openDescriptors() {
    return OPEN_DESCRIPTORS.get();
  }

  /** Closes idle directories when descriptors run out. */
  public static int open(int directory, FileName name, int flags, int mode) {
    int descriptor = opened(CALLS.open(directory, name, flags, mode));
    if (descriptor == -Errno.EMFILE) {
      IdleDirectories.OF_PROCESS.closeAll();
      descriptor = opened(CALLS.open(directory, name, flags, mode));
    }
    return descriptor;
  }

  /** As {@link #open(int, FileName, int, int)}, for a path of any number of components. */
  public static int open(int directory, byte[] path, int flags, int mode) {
    int descriptor = opened(CALLS.open(directory, path, flags, mode));
    if (descriptor == -Errno.EMFILE) {
      IdleDirectories.OF_PROCESS.closeAll();
      descriptor = opened(CALLS.open(directory, path, flags, mode));
    }
    return descriptor;
  }

  /** Opens without closing idle directories when descriptors run out. */
  static int openOnce(int directory, FileName name, int flags) {
    return opened(CALLS.open(directory, name, flags, 0));
  }

  static int openOnce(int directory, byte[] path, int flags) {
    return opened(CALLS.open(directory, path, flags, 0));
  }

  private static int opened(int descriptor) {
    if (descriptor >= 0) {
      OPEN_DESCRIPTORS.incrementAndGet();
    }
    return descriptor;
  }

  public static int close(int descriptor) {
    OPEN_DESCRIPTORS.decrementAndGet();
    return CALLS.close(descriptor);
  }

  public static int statx(int directory, FileName name) {
    return CALLS.statx(directory, name, Flags.AT_SYMLINK_NOFOLLOW);
  }

  static int statxBehindLinks(int directory, FileName name) {
    return CALLS.statx(directory, name, 0);
  }

  /** From the kernel's cache: without asking a network or program. */
  static int statxOfCache(int directory, FileName name) {
    return CALLS.statx(directory, name, Flags.AT_SYMLINK_NOFOLLOW | Flags.AT_STATX_DONT_SYNC);
  }

  public static int rename(int directory, FileName from, FileName to) {
    return CALLS.rename(directory, from, directory, to);
  }

  public static int flush(int descriptor) {
    return CALLS.flush(descriptor);
  }

  public static boolean mayFailAtClose(int directory) {
    return CALLS.mayFailAtClose(directory);
  }

  public static int statx(int descriptor) {
    return CALLS.statx(descriptor);
  }

  public static Attributes attributes() {
    return CALLS.attributes();
  }

  public static boolean isAppendOnly() {
    return CALLS.isAppendOnly();
  }

  public static byte[] data(int length) {
    return CALLS.data(length);
  }

  public static int mkdir(int directory, FileName name, int mode) {
    return CALLS.mkdir(directory, name, mode);
  }

  public static int mkdir(int directory, byte[] path, int mode) {
    return CALLS.mkdir(directory, path, mode);
  }

  public static int unlink(int directory, FileName name) {
    return CALLS.unlink(directory, name);
  }

  public static int rmdir(int directory, FileName name) {
    return CALLS.rmdir(directory, name);
  }

  public static int rename(int fromDirectory, FileName from, int toDirectory, FileName to) {
    return CALLS.rename(fromDirectory, from, toDirectory, to);
  }

  public static int renameToFree(int fromDirectory, FileName from, int toDirectory, FileName to) {
    return CALLS.renameToFree(fromDirectory, from, toDirectory, to);
  }

  public static int exchange(int directory, FileName one, FileName other) {
    return CALLS.exchange(directory, one, other);
  }

  public static int symlink(byte[] target, int directory, FileName name) {
    return CALLS.symlink(target, directory, name);
  }

  public static int readlink(int directory, FileName name) {
    return CALLS.readlink(directory, name);
  }

  public static int link(int fromDirectory, FileName from, int toDirectory, FileName to) {
    return CALLS.link(fromDirectory, from, toDirectory, to);
  }

  public static int link(int descriptor, int directory, FileName name) {
    return CALLS.link(descriptor, directory, name);
  }

  public static int chmod(int descriptor, int mode) {
    return CALLS.chmod(descriptor, mode);
  }

  public static int chmodDirectory(int directory, int mode) {
    return CALLS.chmodDirectory(directory, mode);
  }

  public static int chmodOpen(int descriptor, int mode) {
    return CALLS.chmodOpen(descriptor, mode);
  }

  public static int setModified(int descriptor, Timestamp modified) {
    return CALLS.setModified(descriptor, modified);
  }

  public static int setModified(int directory, FileName name, Timestamp modified) {
    return CALLS.setModified(directory, name, modified);
  }

  public static int setModifiedOfDirectory(int directory, Timestamp modified) {
    return CALLS.setModifiedOfDirectory(directory, modified);
  }

  public static int chown(int descriptor, int user, int group) {
    return CALLS.chown(descriptor, user, group);
  }

  public static int chown(int directory, FileName name, int user, int group) {
    return CALLS.chown(directory, name, user, group);
  }

  public static int chownDirectory(int directory, int user, int group) {
    return CALLS.chownDirectory(directory, user, group);
  }

  public static int listAttributes(int descriptor) {
    return CALLS.listAttributes(descriptor);
  }

  public static int getAttribute(int descriptor, byte[] name) {
    return CALLS.getAttribute(descriptor, name);
  }

  public static int setAttribute(int descriptor, byte[] name, byte[] value) {
    return CALLS.setAttribute(descriptor, name, value);
  }

  public static int removeAttribute(int descriptor, byte[] name) {
    return CALLS.removeAttribute(descriptor, name);
  }

  public static long fileSystemType(int descriptor) {
    return CALLS.fileSystemType(descriptor);
  }

  public static int allocate(int descriptor, long length) {
    return CALLS.allocate(descriptor, length);
  }

  public static int truncate(int descriptor, long length) {
    return CALLS.truncate(descriptor, length);
  }

  public static int punch(int descriptor, long offset, long length) {
    return CALLS.punch(descriptor, offset, length);
  }

  public static long seekData(int descriptor, long offset) {
    return CALLS.seekData(descriptor, offset);
  }

  public static long seekHole(int descriptor, long offset) {
    return CALLS.seekHole(descriptor, offset);
  }

  public static int effectiveUser() {
    return CALLS.effectiveUser();
  }

  public static int tryLock(int descriptor) {
    return CALLS.tryLock(descriptor);
  }

  public static int tryShareLock(int descriptor) {
    return CALLS.tryShareLock(descriptor);
  }

  public static void adviseSequential(int descriptor) {
    CALLS.adviseSequential(descriptor);
  }

  public static void dropCache(int descriptor) {
    CALLS.dropCache(descriptor);
  }

  public static int fsync(int descriptor) {
    return CALLS.fsync(descriptor);
  }

  public static int writeBack(int descriptor, long offset, long length) {
    return CALLS.writeBack(descriptor, offset, length);
  }

  public static int read(int descriptor, ByteBuf target, int length, long offset) {
    return CALLS.read(descriptor, target, length, offset);
  }

  public static int write(int descriptor, ByteBuf source, long offset) {
    return CALLS.write(descriptor, source, offset);
  }

  public static int readDirectory(int descriptor, ByteBuffer records) {
    return CALLS.readDirectory(descriptor, records);
  }
}
