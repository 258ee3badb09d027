package io.fdt.storage.local.os;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import java.util.Set;

/**
 * Raw bindings to the C library of Linux, with addresses as numbers, and their constants.
 *
 * <p>Only {@link LinuxCalls} and {@link ThreadProcessors} call them. JNA's direct mapping binds
 * them to the C library of the process, glibc or musl. Calls without a function in older C
 * libraries go through {@code syscall}. Any thread.
 */
final class LibC {
  static final int AT_REMOVEDIR = 0x200;
  static final int AT_SYMLINK_FOLLOW = 0x400;
  static final int AT_NO_AUTOMOUNT = 0x800;
  static final int AT_EMPTY_PATH = 0x1000;

  static final int O_CLOEXEC = 0x80000;

  private static final boolean ARM = System.getProperty("os.arch").equals("aarch64");

  static final long SYS_GETDENTS64 = ARM ? 61 : 217;
  static final long SYS_STATX = ARM ? 291 : 332;
  static final long SYS_RENAMEAT2 = ARM ? 276 : 316;

  /** Flag of renameat2: fail when the new name is taken. */
  static final int RENAME_NOREPLACE = 1;

  /** Flag of renameat2: exchange both names. */
  static final int RENAME_EXCHANGE = 2;

  static final int F_DUPFD_CLOEXEC = 1030;

  static final int LOCK_EX_NB = 2 | 4;
  static final int LOCK_SH_NB = 1 | 4;
  static final int POSIX_FADV_SEQUENTIAL = 2;
  static final int POSIX_FADV_DONTNEED = 4;

  static final int PROT_READ = 1;
  static final int MAP_SHARED = 1;

  static final int SEEK_DATA = 3;
  static final int SEEK_HOLE = 4;

  /** FALLOC_FL_PUNCH_HOLE and FALLOC_FL_KEEP_SIZE. */
  static final int FALLOC_PUNCH = 2 | 1;

  /** Writes out dirty pages, and waits. */
  static final int SYNC_FILE_RANGE_ALL = 1 | 2 | 4;

  /** Waits for pages being written out, then begins to write out the dirty ones. */
  static final int SYNC_FILE_RANGE_NEXT = 1 | 2;

  /** STATX_TYPE, MODE, NLINK, UID, GID, MTIME, CTIME, INO, SIZE and BLOCKS. */
  static final int STATX_WANTED =
      0x1 | 0x2 | 0x4 | 0x8 | 0x10 | 0x40 | 0x80 | 0x100 | 0x200 | 0x400;

  /** Attribute of statx: chattr +a. */
  static final long STATX_ATTR_APPEND = 0x20;

  static final int S_IFMT = 0xF000;

  /** The type of tmpfs in statfs. */
  static final long TMPFS_MAGIC = 0x01021994L;

  /**
   * Types of local file systems, whose close reports nothing: ext2 to ext4, XFS, Btrfs, tmpfs,
   * ramfs, overlay, F2FS, ZFS, bcachefs, JFS, FAT, exFAT, NTFS and HFS+ of the kernel.
   */
  static final Set<Long> SILENT_AT_CLOSE =
      Set.of(
          0xEF53L,
          0x58465342L,
          0x9123683EL,
          TMPFS_MAGIC,
          0x858458F6L,
          0x794C7630L,
          0xF2F52010L,
          0x2FC12FC1L,
          0xCA451A4EL,
          0x3153464AL,
          0x4D44L,
          0x2011BAB0L,
          0x7366746EL,
          0x482BL);

  static final int S_IFDIR = 0x4000;
  static final int S_IFREG = 0x8000;
  static final int S_IFLNK = 0xA000;

  /** The obstacle to using the C library; null for none. */
  static final String UNSUPPORTED = load();

  private LibC() {}

  /** Binds the functions; returns the obstacle, or null on success. */
  private static String load() {
    String system = System.getProperty("os.name") + " " + System.getProperty("os.arch");
    if (!system.equals("Linux amd64") && !system.equals("Linux aarch64")) {
      return "files can be read and written on Linux x86-64 and aarch64, not on " + system;
    }
    if (!System.getProperty("user.home", "").startsWith("/")) {
      // For a user without a home, JNA would create ./?/.cache in the current directory.
      System.getProperties().putIfAbsent("jna.tmpdir", System.getProperty("java.io.tmpdir"));
    }
    try {
      Native.register(LibC.class, NativeLibrary.getProcess());
      return null;
    } catch (LinkageError e) {
      return "cannot bind the C library ("
          + e.getMessage()
          + "); if the directory for temporary files does not allow programs, set -Djna.tmpdir=DIR";
    }
  }

  static native int openat(int directory, long path, int flags, int mode);

  static native int close(int descriptor);

  static native int fcntl(int descriptor, int command, long argument);

  static native long pread(int descriptor, long address, long length, long offset);

  static native long pwrite(int descriptor, long address, long length, long offset);

  static native int mkdirat(int directory, long path, int mode);

  static native int unlinkat(int directory, long path, int flags);

  static native int renameat(int fromDirectory, long from, int toDirectory, long to);

  static native int symlinkat(long target, int directory, long path);

  static native long readlinkat(int directory, long path, long address, long length);

  static native int fchmod(int descriptor, int mode);

  static native int fchmodat(int directory, long path, int mode, int flags);

  static native int futimens(int descriptor, long times);

  static native int utimensat(int directory, long path, long times, int flags);

  static native int fstatfs(int descriptor, long address);

  static native int fallocate(int descriptor, int mode, long offset, long length);

  /** Returns the error number itself. */
  static native int posix_fadvise(int descriptor, long offset, long length, int advice);

  static native int ftruncate(int descriptor, long length);

  static native long lseek(int descriptor, long offset, int whence);

  static native long flistxattr(int descriptor, long address, long length);

  static native long fgetxattr(int descriptor, long name, long address, long length);

  static native int fsetxattr(int descriptor, long name, long address, long length, int flags);

  static native int fremovexattr(int descriptor, long name);

  static native int fchown(int descriptor, int user, int group);

  static native int fchownat(int directory, long path, int user, int group, int flags);

  static native int linkat(int fromDirectory, long from, int toDirectory, long to, int flags);

  /** Never fails. */
  static native int geteuid();

  static native int sched_getaffinity(int thread, long length, long mask);

  static native int sched_setaffinity(int thread, long length, long mask);

  /** Never fails. */
  static native int getpagesize();

  static native long mmap(
      long address, long length, int protection, int flags, int descriptor, long offset);

  static native int munmap(long address, long length);

  /** Sets the lowest bit of one byte for each page that is in memory. */
  static native int mincore(long address, long length, long bytes);

  static native int fsync(int descriptor);

  static native int sync_file_range(int descriptor, long offset, long length, int flags);

  static native int flock(int descriptor, int operation);

  /** getdents64(descriptor, address, length). */
  static native long syscall(long number, long descriptor, long address, long length);

  /**
   * statx(directory, path, flags, mask, address); renameat2(directory, name, directory, name,
   * flags).
   */
  static native long syscall(
      long number, long first, long second, long third, long fourth, long fifth);
}
