package io.fdt.storage.local.os;

import com.sun.jna.Native;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Timestamp;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The system calls on files, with names in bytes. Each returns the kernel's result: 0 or more, or a
 * negative error number.
 *
 * <p>Interrupted calls are repeated here; {@link FileDescriptor} continues short reads and writes.
 * Any thread.
 */
public final class Syscalls {
  /** "." as the name of a directory that is already open. */
  @SuppressWarnings("MutablePublicArray") // callers only pass it on
  public static final byte[] ITSELF = {'.'};

  private static final byte[] NOTHING = {};

  /** Consecutive signals that may interrupt a {@link #flush}. */
  private static final int FLUSH_ATTEMPTS = 10;

  /** Whether {@link #link} needs /proc. */
  private static volatile boolean linksByProc;

  /** See {@link #openDescriptors}. */
  private static final AtomicInteger OPEN_DESCRIPTORS = new AtomicInteger();

  private Syscalls() {}

  /** Descriptors opened here and not closed. */
  public static int openDescriptors() {
    return OPEN_DESCRIPTORS.get();
  }

  public static int open(int directory, FileName name, int flags, int mode) {
    return open(directory, NativeBuffers.ofThread().name(name), flags, mode);
  }

  /** Opens a path of any number of components. */
  public static int open(int directory, byte[] path, int flags, int mode) {
    long address = NativeBuffers.ofThread().name(path);
    return address < 0 ? -Errno.ENAMETOOLONG : open(directory, address, flags, mode);
  }

  /** Opens without closing idle directories when descriptors run out. */
  static int openOnce(int directory, FileName name, int flags) {
    return openOnce(directory, NativeBuffers.ofThread().name(name), flags, 0);
  }

  static int openOnce(int directory, byte[] path, int flags) {
    long address = NativeBuffers.ofThread().name(path);
    return address < 0 ? -Errno.ENAMETOOLONG : openOnce(directory, address, flags, 0);
  }

  /** Closes idle directories when descriptors run out. */
  private static int open(int directory, long name, int flags, int mode) {
    int descriptor = openOnce(directory, name, flags, mode);
    if (descriptor == -Errno.EMFILE) {
      IdleDirectories.OF_PROCESS.closeAll();
      descriptor = openOnce(directory, name, flags, mode);
    }
    return descriptor;
  }

  private static int openOnce(int directory, long name, int flags, int mode) {
    int descriptor;
    do {
      descriptor = result(LibC.openat(directory, name, flags | LibC.O_CLOEXEC, mode));
    } while (descriptor == -Errno.EINTR);
    if (descriptor >= 0) {
      OPEN_DESCRIPTORS.incrementAndGet();
    }
    return descriptor;
  }

  /** Closes a descriptor, ignoring errors: Linux releases it also when it reports one. */
  public static int close(int descriptor) {
    OPEN_DESCRIPTORS.decrementAndGet();
    return result(LibC.close(descriptor));
  }

  /** Makes a file system report errors of close early: closes a duplicate, which keeps the lock. */
  public static int flush(int descriptor) {
    int result = -Errno.EINTR;
    for (int attempt = 0; result == -Errno.EINTR && attempt < FLUSH_ATTEMPTS; attempt++) {
      result = result(LibC.fcntl(descriptor, LibC.F_DUPFD_CLOEXEC, 0));
      if (result >= 0) {
        result = result(LibC.close(result));
      }
    }
    return result;
  }

  /**
   * Whether closing a file in an open directory may be the first call to report lost data: on
   * network file systems, and on unknown ones.
   */
  public static boolean mayFailAtClose(int directory) {
    NativeBuffers scratch = NativeBuffers.ofThread();
    return LibC.fstatfs(directory, scratch.statfsAddress()) != 0
        || !LibC.SILENT_AT_CLOSE.contains(scratch.fileSystemType() & 0xFFFF_FFFFL);
  }

  /** Reads the attributes of a name into {@link NativeBuffers#attributes}, links not followed. */
  public static int statx(int directory, FileName name) {
    return statx(directory, NativeBuffers.ofThread().name(name), LibC.AT_SYMLINK_NOFOLLOW);
  }

  /** As {@link #statx(int, FileName)}, following links. */
  static int statxBehindLinks(int directory, FileName name) {
    return statx(directory, NativeBuffers.ofThread().name(name), 0);
  }

  /**
   * As {@link #statx(int, FileName)}, from the kernel's cache: without asking a network or program.
   */
  static int statxOfCache(int directory, FileName name) {
    int flags = LibC.AT_SYMLINK_NOFOLLOW | LibC.AT_STATX_DONT_SYNC;
    return statx(directory, NativeBuffers.ofThread().name(name), flags);
  }

  /** Reads the attributes of an open file. */
  public static int statx(int descriptor) {
    return statx(descriptor, NativeBuffers.ofThread().name(NOTHING), LibC.AT_EMPTY_PATH);
  }

  private static int statx(int directory, long name, int flags) {
    int result;
    do {
      result =
          result(
              LibC.syscall(
                  LibC.SYS_STATX,
                  directory,
                  name,
                  flags | LibC.AT_NO_AUTOMOUNT,
                  LibC.STATX_WANTED,
                  NativeBuffers.ofThread().statxAddress()));
    } while (result == -Errno.EINTR);
    return result;
  }

  public static int mkdir(int directory, FileName name, int mode) {
    return result(LibC.mkdirat(directory, NativeBuffers.ofThread().name(name), mode));
  }

  public static int mkdir(int directory, byte[] path, int mode) {
    long address = NativeBuffers.ofThread().name(path);
    return address < 0 ? -Errno.ENAMETOOLONG : result(LibC.mkdirat(directory, address, mode));
  }

  /** Removes a name other than a directory. */
  public static int unlink(int directory, FileName name) {
    return result(LibC.unlinkat(directory, NativeBuffers.ofThread().name(name), 0));
  }

  /** Removes an empty directory. */
  public static int rmdir(int directory, FileName name) {
    return result(LibC.unlinkat(directory, NativeBuffers.ofThread().name(name), LibC.AT_REMOVEDIR));
  }

  public static int rename(int directory, FileName from, FileName to) {
    return rename(directory, from, directory, to);
  }

  /** Renames to a free name. */
  public static int renameToFree(int fromDirectory, FileName from, int toDirectory, FileName to) {
    return rename(fromDirectory, from, toDirectory, to, LibC.RENAME_NOREPLACE);
  }

  /** Exchanges two names atomically. */
  public static int exchange(int directory, FileName one, FileName other) {
    return rename(directory, one, directory, other, LibC.RENAME_EXCHANGE);
  }

  private static int rename(
      int fromDirectory, FileName from, int toDirectory, FileName to, int flags) {
    NativeBuffers scratch = NativeBuffers.ofThread();
    return result(
        LibC.syscall(
            LibC.SYS_RENAMEAT2,
            fromDirectory,
            scratch.name(from),
            toDirectory,
            scratch.secondName(to),
            flags));
  }

  /** Renames, replacing an existing entry. */
  public static int rename(int fromDirectory, FileName from, int toDirectory, FileName to) {
    NativeBuffers scratch = NativeBuffers.ofThread();
    return result(
        LibC.renameat(fromDirectory, scratch.name(from), toDirectory, scratch.secondName(to)));
  }

  public static int symlink(byte[] target, int directory, FileName name) {
    NativeBuffers scratch = NativeBuffers.ofThread();
    long address = scratch.secondName(target);
    return address < 0
        ? -Errno.ENAMETOOLONG
        : result(LibC.symlinkat(address, directory, scratch.name(name)));
  }

  /** Reads the target of a link to {@link NativeBuffers#data}; returns its length. */
  public static int readlink(int directory, FileName name) {
    NativeBuffers scratch = NativeBuffers.ofThread();
    return result(
        LibC.readlinkat(
            directory, scratch.name(name), scratch.dataAddress(), NativeBuffers.DATA_LENGTH));
  }

  public static int chmod(int descriptor, int mode) {
    return result(LibC.fchmod(descriptor, mode));
  }

  /** Sets the mode of a directory, whatever its open flags. */
  public static int chmodDirectory(int directory, int mode) {
    return result(LibC.fchmodat(directory, NativeBuffers.ofThread().name(ITSELF), mode, 0));
  }

  /** Sets the mode of a directory that this user may not search. */
  public static int chmodOpen(int descriptor, int mode) {
    return result(
        LibC.fchmodat(
            LibC.AT_FDCWD, NativeBuffers.ofThread().name(pathByProc(descriptor)), mode, 0));
  }

  private static byte[] pathByProc(int descriptor) {
    return ("/proc/self/fd/" + descriptor).getBytes(StandardCharsets.US_ASCII);
  }

  /** Sets the modification time of an open file. */
  public static int setModified(int descriptor, Timestamp modified) {
    return result(LibC.futimens(descriptor, NativeBuffers.ofThread().times(modified)));
  }

  /** Sets the modification time of a name; for a link, its own. */
  public static int setModified(int directory, FileName name, Timestamp modified) {
    NativeBuffers scratch = NativeBuffers.ofThread();
    return result(
        LibC.utimensat(
            directory, scratch.name(name), scratch.times(modified), LibC.AT_SYMLINK_NOFOLLOW));
  }

  /** Sets the modification time of a directory, whatever its open flags. */
  public static int setModifiedOfDirectory(int directory, Timestamp modified) {
    NativeBuffers scratch = NativeBuffers.ofThread();
    return result(LibC.utimensat(directory, scratch.name(ITSELF), scratch.times(modified), 0));
  }

  /** The type of the file system of an open file, from statfs(2); 0 when unknown. */
  public static long fileSystemType(int descriptor) {
    NativeBuffers scratch = NativeBuffers.ofThread();
    return LibC.fstatfs(descriptor, scratch.statfsAddress()) == 0 ? scratch.fileSystemType() : 0;
  }

  /**
   * Reserves space from the start of a file and extends it to that length. In memory (tmpfs) that
   * would do most of the work of writing, 0.7 to 1.5 s for 2 GiB, before the first byte: there, and
   * on file systems that cannot reserve space (ext2, NFS 3, most FUSE), it only checks the free
   * space.
   */
  public static int allocate(int descriptor, long length) {
    NativeBuffers scratch = NativeBuffers.ofThread();
    if (LibC.fstatfs(descriptor, scratch.statfsAddress()) == 0
        && scratch.fileSystemType() == LibC.TMPFS_MAGIC) {
      return scratch.hasRoom(length, effectiveUser() == 0) ? 0 : -Errno.ENOSPC;
    }
    int result;
    do {
      result = result(LibC.fallocate(descriptor, 0, 0, length));
    } while (result == -Errno.EINTR);
    boolean isFull =
        result == -Errno.EOPNOTSUPP
            && LibC.fstatfs(descriptor, scratch.statfsAddress()) == 0
            && !scratch.hasRoom(length, effectiveUser() == 0);
    return isFull ? -Errno.ENOSPC : result;
  }

  /** Sets the length of a file; new bytes are a hole. */
  public static int truncate(int descriptor, long length) {
    int result;
    do {
      result = result(LibC.ftruncate(descriptor, length));
    } while (result == -Errno.EINTR);
    return result;
  }

  /** Punches a hole. */
  static int punch(int descriptor, long offset, long length) {
    int result;
    do {
      result = result(LibC.fallocate(descriptor, LibC.FALLOC_PUNCH, offset, length));
    } while (result == -Errno.EINTR);
    return result;
  }

  /** The next data at or after an offset; -ENXIO for none. */
  static long seekData(int descriptor, long offset) {
    return seek(descriptor, offset, LibC.SEEK_DATA);
  }

  /** The next hole at or after an offset; the end of the file is one. */
  static long seekHole(int descriptor, long offset) {
    return seek(descriptor, offset, LibC.SEEK_HOLE);
  }

  private static long seek(int descriptor, long offset, int whence) {
    long found = LibC.lseek(descriptor, offset, whence);
    return found >= 0 ? found : -Native.getLastError();
  }

  /** The names of extended attributes, each with a NUL; returns the length in bytes. */
  static int listAttributes(int descriptor, long address, int length) {
    return result(LibC.flistxattr(descriptor, address, length));
  }

  /** The value of an extended attribute; returns the length in bytes. */
  static int getAttribute(int descriptor, byte[] name, long address, int length) {
    return result(LibC.fgetxattr(descriptor, NativeBuffers.ofThread().name(name), address, length));
  }

  /** Sets an extended attribute to a value of at most {@link NativeBuffers#DATA_LENGTH} bytes. */
  public static int setAttribute(int descriptor, byte[] name, byte[] value) {
    NativeBuffers scratch = NativeBuffers.ofThread();
    scratch.data().put(value);
    return result(
        LibC.fsetxattr(descriptor, scratch.name(name), scratch.dataAddress(), value.length, 0));
  }

  public static int removeAttribute(int descriptor, byte[] name) {
    return result(LibC.fremovexattr(descriptor, NativeBuffers.ofThread().name(name)));
  }

  public static int chown(int descriptor, int user, int group) {
    return result(LibC.fchown(descriptor, user, group));
  }

  /** Sets the owner of a name; for a link, its own. */
  public static int chown(int directory, FileName name, int user, int group) {
    return result(
        LibC.fchownat(
            directory, NativeBuffers.ofThread().name(name), user, group, LibC.AT_SYMLINK_NOFOLLOW));
  }

  /** Sets the owner of a directory, whatever its open flags. */
  public static int chownDirectory(int directory, int user, int group) {
    return result(LibC.fchownat(directory, NativeBuffers.ofThread().name(ITSELF), user, group, 0));
  }

  /** Adds a name to a file; a link is not followed. */
  public static int link(int fromDirectory, FileName from, int toDirectory, FileName to) {
    NativeBuffers scratch = NativeBuffers.ofThread();
    return result(
        LibC.linkat(fromDirectory, scratch.name(from), toDirectory, scratch.secondName(to), 0));
  }

  /** Names an unnamed open file. Kernels before 6.10 let only root use the descriptor for that. */
  public static int link(int descriptor, int directory, FileName name) {
    if (!linksByProc) {
      NativeBuffers scratch = NativeBuffers.ofThread();
      long nothing = scratch.name(NOTHING);
      long to = scratch.secondName(name);
      int result = result(LibC.linkat(descriptor, nothing, directory, to, LibC.AT_EMPTY_PATH));
      if (result != -Errno.ENOENT) {
        return result;
      }
    }
    int result = linkByProc(descriptor, directory, name);
    linksByProc |= result >= 0;
    return result;
  }

  /** Names an unnamed open file for other users than root, through /proc. */
  public static int linkByProc(int descriptor, int directory, FileName name) {
    NativeBuffers scratch = NativeBuffers.ofThread();
    long from = scratch.name(pathByProc(descriptor));
    long to = scratch.secondName(name);
    return result(LibC.linkat(LibC.AT_FDCWD, from, directory, to, LibC.AT_SYMLINK_FOLLOW));
  }

  /** The effective user of this process. */
  public static int effectiveUser() {
    return LibC.geteuid();
  }

  /** Takes the exclusive lock of a file, if it is free; closing the descriptor releases it. */
  public static int tryLock(int descriptor) {
    return result(LibC.flock(descriptor, LibC.LOCK_EX_NB));
  }

  /** Takes a shared lock of a file, if no exclusive lock is held. */
  public static int tryShareLock(int descriptor) {
    return result(LibC.flock(descriptor, LibC.LOCK_SH_NB));
  }

  /** Announces sequential reading. Advice only: the result is ignored. */
  public static void adviseSequential(int descriptor) {
    int unused = LibC.posix_fadvise(descriptor, 0, 0, LibC.POSIX_FADV_SEQUENTIAL);
  }

  /** Syncs data and attributes of an open file, or the names in an open directory. */
  public static int fsync(int descriptor) {
    int result;
    do {
      result = result(LibC.fsync(descriptor));
    } while (result == -Errno.EINTR);
    return result;
  }

  /** Writes a part of a file to its device, so that {@link #fsync} has less to do. */
  public static int writeBack(int descriptor, long offset, long length) {
    return result(LibC.sync_file_range(descriptor, offset, length, LibC.SYNC_FILE_RANGE_ALL));
  }

  /**
   * Drops the cached pages of a file that are on the device. In tmpfs, without a device, nothing is
   * dropped: the result is ignored.
   */
  public static void dropCache(int descriptor) {
    int unused = LibC.posix_fadvise(descriptor, 0, 0, LibC.POSIX_FADV_DONTNEED);
  }

  static int pread(int descriptor, long address, int length, long offset) {
    int result;
    do {
      result = result(LibC.pread(descriptor, address, length, offset));
    } while (result == -Errno.EINTR);
    return result;
  }

  static int pwrite(int descriptor, long address, int length, long offset) {
    int result;
    do {
      result = result(LibC.pwrite(descriptor, address, length, offset));
    } while (result == -Errno.EINTR);
    return result;
  }

  /** Reads the next names of a directory; returns the length of the records in bytes. */
  static int readDirectory(int descriptor, long address, int length) {
    return result(LibC.syscall(LibC.SYS_GETDENTS64, descriptor, address, length));
  }

  /** Narrows the result of a call that returns an int, or its error. */
  private static int result(long returned) {
    return returned >= 0 ? Math.toIntExact(returned) : -Native.getLastError();
  }
}
