package io.fdt.core.storage;

import com.sun.jna.Native;
import io.fdt.core.manifest.FileName;
import io.fdt.core.manifest.Timestamp;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The system calls on files, with names in bytes; each gives what the kernel gives: 0 or more, or a
 * negative error number.
 *
 * <p>Interrupted calls are repeated here, short reads and writes continued by {@link OpenFile}. Any
 * thread.
 */
final class Kernel {
  /** "." as the name of a directory that is open already. */
  static final byte[] ITSELF = {'.'};

  private static final byte[] NOTHING = {};

  /** Whether {@link #link} has seen that it must go that way. */
  private static volatile boolean linksByProc;

  /** What {@link #openDescriptors} tells. */
  private static final AtomicInteger OPEN_DESCRIPTORS = new AtomicInteger();

  private Kernel() {}

  /** How many descriptors were opened here and not closed. */
  static int openDescriptors() {
    return OPEN_DESCRIPTORS.get();
  }

  static int open(int directory, FileName name, int flags, int mode) {
    return open(directory, Scratch.ofThread().name(name), flags, mode);
  }

  /** Opens what a path of any number of components leads to. */
  static int open(int directory, byte[] path, int flags, int mode) {
    long address = Scratch.ofThread().name(path);
    return address < 0 ? -Errno.ENAMETOOLONG : open(directory, address, flags, mode);
  }

  private static int open(int directory, long name, int flags, int mode) {
    int descriptor;
    do {
      descriptor = result(Posix.openat(directory, name, flags | Posix.O_CLOEXEC, mode));
    } while (descriptor == -Errno.EINTR);
    if (descriptor >= 0) {
      OPEN_DESCRIPTORS.incrementAndGet();
    }
    return descriptor;
  }

  /**
   * Closes a descriptor, whatever the kernel says to it: Linux has released it also when it reports
   * an error.
   */
  static int close(int descriptor) {
    OPEN_DESCRIPTORS.decrementAndGet();
    return result(Posix.close(descriptor));
  }

  /**
   * Asks for the attributes of a name, links not followed; they are in {@link Scratch#attributes}
   * then.
   */
  static int statx(int directory, FileName name) {
    return statx(directory, Scratch.ofThread().name(name), Posix.AT_SYMLINK_NOFOLLOW);
  }

  /** Asks for the attributes of an open file. */
  static int statx(int descriptor) {
    return statx(descriptor, Scratch.ofThread().name(NOTHING), Posix.AT_EMPTY_PATH);
  }

  private static int statx(int directory, long name, int flags) {
    int result;
    do {
      result =
          result(
              Posix.syscall(
                  Posix.SYS_STATX,
                  directory,
                  name,
                  flags | Posix.AT_NO_AUTOMOUNT,
                  Posix.STATX_WANTED,
                  Scratch.ofThread().statxAddress()));
    } while (result == -Errno.EINTR);
    return result;
  }

  static int mkdir(int directory, FileName name, int mode) {
    return result(Posix.mkdirat(directory, Scratch.ofThread().name(name), mode));
  }

  static int mkdir(int directory, byte[] path, int mode) {
    long address = Scratch.ofThread().name(path);
    return address < 0 ? -Errno.ENAMETOOLONG : result(Posix.mkdirat(directory, address, mode));
  }

  /** Removes a name that is no directory. */
  static int unlink(int directory, FileName name) {
    return result(Posix.unlinkat(directory, Scratch.ofThread().name(name), 0));
  }

  /** Removes an empty directory. */
  static int rmdir(int directory, FileName name) {
    return result(Posix.unlinkat(directory, Scratch.ofThread().name(name), Posix.AT_REMOVEDIR));
  }

  static int rename(int directory, FileName from, FileName to) {
    return rename(directory, from, directory, to);
  }

  /** Moves a name to another directory, or to another name, that nothing has. */
  static int renameToFree(int fromDirectory, FileName from, int toDirectory, FileName to) {
    Scratch scratch = Scratch.ofThread();
    return result(
        Posix.syscall(
            Posix.SYS_RENAMEAT2,
            fromDirectory,
            scratch.name(from),
            toDirectory,
            scratch.secondName(to),
            Posix.RENAME_NOREPLACE));
  }

  /** Moves a name to another directory, or to another name; replaces what has it. */
  static int rename(int fromDirectory, FileName from, int toDirectory, FileName to) {
    Scratch scratch = Scratch.ofThread();
    return result(
        Posix.renameat(fromDirectory, scratch.name(from), toDirectory, scratch.secondName(to)));
  }

  static int symlink(byte[] target, int directory, FileName name) {
    Scratch scratch = Scratch.ofThread();
    long address = scratch.secondName(target);
    return address < 0
        ? -Errno.ENAMETOOLONG
        : result(Posix.symlinkat(address, directory, scratch.name(name)));
  }

  /** Reads the target of a link to {@link Scratch#data}; returns its length. */
  static int readlink(int directory, FileName name) {
    Scratch scratch = Scratch.ofThread();
    return result(
        Posix.readlinkat(
            directory, scratch.name(name), scratch.dataAddress(), Scratch.DATA_LENGTH));
  }

  static int chmod(int descriptor, int mode) {
    return result(Posix.fchmod(descriptor, mode));
  }

  /** Sets the mode of a directory that is open in whatever way. */
  static int chmodDirectory(int directory, int mode) {
    return result(Posix.fchmodat(directory, Scratch.ofThread().name(ITSELF), mode, 0));
  }

  /** Sets the time of last modification of an open file. */
  static int setModified(int descriptor, Timestamp modified) {
    return result(Posix.futimens(descriptor, Scratch.ofThread().times(modified)));
  }

  /** Sets the time of a name; of a link itself, not of what it points to. */
  static int setModified(int directory, FileName name, Timestamp modified) {
    Scratch scratch = Scratch.ofThread();
    return result(
        Posix.utimensat(
            directory, scratch.name(name), scratch.times(modified), Posix.AT_SYMLINK_NOFOLLOW));
  }

  /** Sets the time of a directory that is open in whatever way. */
  static int setModifiedOfDirectory(int directory, Timestamp modified) {
    Scratch scratch = Scratch.ofThread();
    return result(Posix.utimensat(directory, scratch.name(ITSELF), scratch.times(modified), 0));
  }

  /**
   * Reserves space from the start of a file on and makes it that long. In memory (tmpfs) that would
   * do most of the work of writing, 0.7 to 1.5 s for 2 GiB, before the first byte: there it only
   * looks whether there is room.
   */
  static int allocate(int descriptor, long length) {
    Scratch scratch = Scratch.ofThread();
    if (Posix.fstatfs(descriptor, scratch.statfsAddress()) == 0
        && scratch.fileSystemType() == Posix.TMPFS_MAGIC) {
      return scratch.freeBytes() < length ? -Errno.ENOSPC : 0;
    }
    int result;
    do {
      result = result(Posix.fallocate(descriptor, 0, 0, length));
    } while (result == -Errno.EINTR);
    return result;
  }

  /** Makes a file this long; what it had not is a hole. */
  static int truncate(int descriptor, long length) {
    int result;
    do {
      result = result(Posix.ftruncate(descriptor, length));
    } while (result == -Errno.EINTR);
    return result;
  }

  /** Makes a hole of a range, whatever it held. */
  static int punch(int descriptor, long offset, long length) {
    int result;
    do {
      result = result(Posix.fallocate(descriptor, Posix.FALLOC_PUNCH, offset, length));
    } while (result == -Errno.EINTR);
    return result;
  }

  /** Where data begins at or behind an offset; -ENXIO when there is none. */
  static long seekData(int descriptor, long offset) {
    return seek(descriptor, offset, Posix.SEEK_DATA);
  }

  /** Where a hole begins at or behind an offset; the end of the file is one. */
  static long seekHole(int descriptor, long offset) {
    return seek(descriptor, offset, Posix.SEEK_HOLE);
  }

  private static long seek(int descriptor, long offset, int whence) {
    long found = Posix.lseek(descriptor, offset, whence);
    return found >= 0 ? found : -Native.getLastError();
  }

  /** The names of extended attributes, each with a NUL; returns how many bytes. */
  static int listAttributes(int descriptor, long address, int length) {
    return result(Posix.flistxattr(descriptor, address, length));
  }

  /** The value of an extended attribute; returns how many bytes. */
  static int getAttribute(int descriptor, byte[] name, long address, int length) {
    return result(Posix.fgetxattr(descriptor, Scratch.ofThread().name(name), address, length));
  }

  /** Sets an extended attribute to a value of at most {@link Scratch#DATA_LENGTH} bytes. */
  static int setAttribute(int descriptor, byte[] name, byte[] value) {
    Scratch scratch = Scratch.ofThread();
    scratch.data().put(value);
    return result(
        Posix.fsetxattr(descriptor, scratch.name(name), scratch.dataAddress(), value.length, 0));
  }

  static int removeAttribute(int descriptor, byte[] name) {
    return result(Posix.fremovexattr(descriptor, Scratch.ofThread().name(name)));
  }

  static int chown(int descriptor, int user, int group) {
    return result(Posix.fchown(descriptor, user, group));
  }

  /** Gives a name to a user and a group; a link itself, not what it points to. */
  static int chown(int directory, FileName name, int user, int group) {
    return result(
        Posix.fchownat(
            directory, Scratch.ofThread().name(name), user, group, Posix.AT_SYMLINK_NOFOLLOW));
  }

  /** Gives a directory that is open in whatever way to a user and a group. */
  static int chownDirectory(int directory, int user, int group) {
    return result(Posix.fchownat(directory, Scratch.ofThread().name(ITSELF), user, group, 0));
  }

  /** Gives another name to a file; a link is not followed. */
  static int link(int fromDirectory, FileName from, int toDirectory, FileName to) {
    Scratch scratch = Scratch.ofThread();
    return result(
        Posix.linkat(fromDirectory, scratch.name(from), toDirectory, scratch.secondName(to), 0));
  }

  /**
   * Gives a name to an open file that has none. Kernels before 6.10 let only root do that by its
   * descriptor.
   */
  static int link(int descriptor, int directory, FileName name) {
    if (!linksByProc) {
      Scratch scratch = Scratch.ofThread();
      long nothing = scratch.name(NOTHING);
      long to = scratch.secondName(name);
      int result = result(Posix.linkat(descriptor, nothing, directory, to, Posix.AT_EMPTY_PATH));
      if (result != -Errno.ENOENT) {
        return result;
      }
    }
    int result = linkByProc(descriptor, directory, name);
    linksByProc |= result >= 0;
    return result;
  }

  /** The same for who is not root, where /proc tells of this process's files. */
  static int linkByProc(int descriptor, int directory, FileName name) {
    Scratch scratch = Scratch.ofThread();
    long from = scratch.name(("/proc/self/fd/" + descriptor).getBytes(StandardCharsets.US_ASCII));
    long to = scratch.secondName(name);
    return result(Posix.linkat(Posix.AT_FDCWD, from, directory, to, Posix.AT_SYMLINK_FOLLOW));
  }

  /** The user that this process acts as. */
  static int effectiveUser() {
    return Posix.geteuid();
  }

  /** Takes the lock of a file if nobody has it; it is given back when the descriptor is closed. */
  static int tryLock(int descriptor) {
    return result(Posix.flock(descriptor, Posix.LOCK_EX_NB));
  }

  /**
   * Says that a file will be read from its start to its end. Advice only: its result does not
   * matter.
   */
  static void adviseSequential(int descriptor) {
    int unused = Posix.posix_fadvise(descriptor, 0, 0, Posix.POSIX_FADV_SEQUENTIAL);
  }

  /** Forces data and attributes of an open file, or the names in an open directory. */
  static int fsync(int descriptor) {
    int result;
    do {
      result = result(Posix.fsync(descriptor));
    } while (result == -Errno.EINTR);
    return result;
  }

  /** Has a part of a file written to its device; for {@link #fsync} to have less to do. */
  static int writeBack(int descriptor, long offset, long length) {
    return result(Posix.sync_file_range(descriptor, offset, length, Posix.SYNC_FILE_RANGE_ALL));
  }

  /**
   * Has the kernel forget what it holds of a file in memory, as far as the device has it. Where
   * there is no device, as in tmpfs, nothing is forgotten: its result does not matter.
   */
  static void dropCache(int descriptor) {
    int unused = Posix.posix_fadvise(descriptor, 0, 0, Posix.POSIX_FADV_DONTNEED);
  }

  static int pread(int descriptor, long address, int length, long offset) {
    int result;
    do {
      result = result(Posix.pread(descriptor, address, length, offset));
    } while (result == -Errno.EINTR);
    return result;
  }

  static int pwrite(int descriptor, long address, int length, long offset) {
    int result;
    do {
      result = result(Posix.pwrite(descriptor, address, length, offset));
    } while (result == -Errno.EINTR);
    return result;
  }

  /** Reads the next names of a directory; returns how many bytes of records. */
  static int readDirectory(int descriptor, long address, int length) {
    return result(Posix.syscall(Posix.SYS_GETDENTS64, descriptor, address, length));
  }

  /** The result of a call that takes ints and gives no more: narrowed, or its error. */
  private static int result(long returned) {
    return returned >= 0 ? Math.toIntExact(returned) : -Native.getLastError();
  }
}
