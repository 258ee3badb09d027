package io.fdt.storage.local.os;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Preservation.Aspect;
import io.fdt.core.model.Timestamp;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.Capabilities;
import io.fdt.storage.portable.PortableCalls;
import io.fdt.storage.posix.Errno;
import io.fdt.storage.posix.FileCalls;
import io.fdt.storage.posix.Flags;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileSystems;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/** The {@link FileCalls} of this process, and a count of open descriptors. Any thread. */
public final class Syscalls {
  /** Not final, for {@link #use}. */
  @SuppressWarnings("NonFinalStaticField")
  private static FileCalls calls = choose();

  private static final AtomicInteger OPEN_DESCRIPTORS = new AtomicInteger();

  private Syscalls() {}

  /**
   * The calls of Linux; java.nio.file where they are not available, or with {@code
   * -Dfdt.storage=portable}, which loads nothing native.
   */
  private static FileCalls choose() {
    if (!"portable".equals(System.getProperty("fdt.storage"))) {
      FileCalls linux = new LinuxCalls();
      if (linux.obstacle() == null) {
        return linux;
      }
    }
    return new PortableCalls(FileSystems.getDefault());
  }

  /** Replaces them by those of another file system, for tests; returns the former ones. */
  static FileCalls use(FileCalls others) {
    FileCalls former = calls;
    calls = others;
    return former;
  }

  /**
   * Called before any file is opened.
   *
   * @throws FdtException on an unsupported platform
   */
  public static void require() throws FdtException {
    String obstacle = calls.obstacle();
    if (obstacle != null) {
      throw new FdtException(ErrorCode.INTERNAL, obstacle);
    }
  }

  public static Capabilities capabilities() {
    return calls.capabilities();
  }

  public static Set<Aspect> readAspects() {
    return calls.readAspects();
  }

  /** Descriptors opened here and not closed. */
  public static int openDescriptors() {
    return OPEN_DESCRIPTORS.get();
  }

  /** Closes idle directories when descriptors run out. */
  public static int open(int directory, FileName name, int flags, int mode) {
    int descriptor = opened(calls.open(directory, name, flags, mode));
    if (descriptor == -Errno.EMFILE) {
      IdleDirectories.OF_PROCESS.closeAll();
      descriptor = opened(calls.open(directory, name, flags, mode));
    }
    return descriptor;
  }

  /** As {@link #open(int, FileName, int, int)}, for a path of any number of components. */
  public static int open(int directory, byte[] path, int flags, int mode) {
    int descriptor = opened(calls.open(directory, path, flags, mode));
    if (descriptor == -Errno.EMFILE) {
      IdleDirectories.OF_PROCESS.closeAll();
      descriptor = opened(calls.open(directory, path, flags, mode));
    }
    return descriptor;
  }

  /** Opens without closing idle directories when descriptors run out. */
  static int openOnce(int directory, FileName name, int flags) {
    return opened(calls.open(directory, name, flags, 0));
  }

  static int openOnce(int directory, byte[] path, int flags) {
    return opened(calls.open(directory, path, flags, 0));
  }

  private static int opened(int descriptor) {
    if (descriptor >= 0) {
      OPEN_DESCRIPTORS.incrementAndGet();
    }
    return descriptor;
  }

  public static int close(int descriptor) {
    OPEN_DESCRIPTORS.decrementAndGet();
    return calls.close(descriptor);
  }

  public static int statx(int directory, FileName name) {
    return calls.statx(directory, name, Flags.AT_SYMLINK_NOFOLLOW);
  }

  static int statxBehindLinks(int directory, FileName name) {
    return calls.statx(directory, name, 0);
  }

  /** From the kernel's cache: without asking a network or program. */
  static int statxOfCache(int directory, FileName name) {
    return calls.statx(directory, name, Flags.AT_SYMLINK_NOFOLLOW | Flags.AT_STATX_DONT_SYNC);
  }

  public static int rename(int directory, FileName from, FileName to) {
    return calls.rename(directory, from, directory, to);
  }

  public static int flush(int descriptor) {
    return calls.flush(descriptor);
  }

  public static boolean mayFailAtClose(int directory) {
    return calls.mayFailAtClose(directory);
  }

  public static int statx(int descriptor) {
    return calls.statx(descriptor);
  }

  /** Whether a name is that of an open regular file. */
  public static boolean isAt(int directory, FileName name, int descriptor) {
    return calls.isAt(directory, name, descriptor);
  }

  public static Attributes attributes() {
    return calls.attributes();
  }

  public static boolean isAppendOnly() {
    return calls.isAppendOnly();
  }

  public static byte[] data(int length) {
    return calls.data(length);
  }

  public static int mkdir(int directory, FileName name, int mode) {
    return calls.mkdir(directory, name, mode);
  }

  public static int mkdir(int directory, byte[] path, int mode) {
    return calls.mkdir(directory, path, mode);
  }

  public static int unlink(int directory, FileName name) {
    return calls.unlink(directory, name);
  }

  public static int rmdir(int directory, FileName name) {
    return calls.rmdir(directory, name);
  }

  public static int rename(int fromDirectory, FileName from, int toDirectory, FileName to) {
    return calls.rename(fromDirectory, from, toDirectory, to);
  }

  public static int renameToFree(int fromDirectory, FileName from, int toDirectory, FileName to) {
    return calls.renameToFree(fromDirectory, from, toDirectory, to);
  }

  public static int exchange(int directory, FileName one, FileName other) {
    return calls.exchange(directory, one, other);
  }

  public static int symlink(byte[] target, int directory, FileName name) {
    return calls.symlink(target, directory, name);
  }

  public static BytePath keptTarget(BytePath target) {
    return calls.keptTarget(target);
  }

  public static int readlink(int directory, FileName name) {
    return calls.readlink(directory, name);
  }

  public static int link(int fromDirectory, FileName from, int toDirectory, FileName to) {
    return calls.link(fromDirectory, from, toDirectory, to);
  }

  public static int link(int descriptor, int directory, FileName name) {
    return calls.link(descriptor, directory, name);
  }

  public static int chmod(int descriptor, int mode) {
    return calls.chmod(descriptor, mode);
  }

  public static int chmodDirectory(int directory, int mode) {
    return calls.chmodDirectory(directory, mode);
  }

  public static int chmodOpen(int descriptor, int mode) {
    return calls.chmodOpen(descriptor, mode);
  }

  public static int setModified(int descriptor, Timestamp modified) {
    return calls.setModified(descriptor, modified);
  }

  public static int setModified(int directory, FileName name, Timestamp modified) {
    return calls.setModified(directory, name, modified);
  }

  public static int setModifiedOfDirectory(int directory, Timestamp modified) {
    return calls.setModifiedOfDirectory(directory, modified);
  }

  public static int chown(int descriptor, int user, int group) {
    return calls.chown(descriptor, user, group);
  }

  public static int chown(int directory, FileName name, int user, int group) {
    return calls.chown(directory, name, user, group);
  }

  public static int chownDirectory(int directory, int user, int group) {
    return calls.chownDirectory(directory, user, group);
  }

  public static int listAttributes(int descriptor) {
    return calls.listAttributes(descriptor);
  }

  public static int getAttribute(int descriptor, byte[] name) {
    return calls.getAttribute(descriptor, name);
  }

  public static int setAttribute(int descriptor, byte[] name, byte[] value) {
    return calls.setAttribute(descriptor, name, value);
  }

  public static int removeAttribute(int descriptor, byte[] name) {
    return calls.removeAttribute(descriptor, name);
  }

  public static long fileSystemType(int descriptor) {
    return calls.fileSystemType(descriptor);
  }

  public static long freeSpace(int directory) throws IOException {
    return calls.freeSpace(directory);
  }

  public static int allocate(int descriptor, long length) {
    return calls.allocate(descriptor, length);
  }

  public static int truncate(int descriptor, long length) {
    return calls.truncate(descriptor, length);
  }

  public static int punch(int descriptor, long offset, long length) {
    return calls.punch(descriptor, offset, length);
  }

  public static long seekData(int descriptor, long offset) {
    return calls.seekData(descriptor, offset);
  }

  public static long seekHole(int descriptor, long offset) {
    return calls.seekHole(descriptor, offset);
  }

  public static int effectiveUser() {
    return calls.effectiveUser();
  }

  public static int tryLock(int descriptor) {
    return calls.tryLock(descriptor);
  }

  public static int tryShareLock(int descriptor) {
    return calls.tryShareLock(descriptor);
  }

  public static void adviseSequential(int descriptor) {
    calls.adviseSequential(descriptor);
  }

  /** Returns 0: it is advice. */
  public static int dropCache(int descriptor, long end) {
    calls.dropCache(descriptor, end);
    return 0;
  }

  static boolean mayBeCached(int descriptor, long offset, int length) {
    return calls.mayBeCached(descriptor, offset, length);
  }

  static int reopenDirect(int descriptor, int access) {
    return opened(calls.reopenDirect(descriptor, access));
  }

  static int startWriteBack(int descriptor) {
    return calls.startWriteBack(descriptor);
  }

  public static int fsync(int descriptor) {
    return calls.fsync(descriptor);
  }

  public static int writeBack(int descriptor, long offset, long length) {
    return calls.writeBack(descriptor, offset, length);
  }

  public static int read(int descriptor, ByteBuf target, int length, long offset) {
    return calls.read(descriptor, target, length, offset);
  }

  public static int write(int descriptor, ByteBuf source, long offset) {
    return calls.write(descriptor, source, offset);
  }

  public static int readDirectory(int descriptor, ByteBuffer records) {
    return calls.readDirectory(descriptor, records);
  }
}
