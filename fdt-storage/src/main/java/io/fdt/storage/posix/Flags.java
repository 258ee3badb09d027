package io.fdt.storage.posix;

/** The constants of Linux in the arguments and results of {@link FileCalls}. */
public final class Flags {
  /** In place of a directory: names are relative to the working directory, or absolute. */
  public static final int AT_FDCWD = -100;

  /** "." as the name of a directory that is already open. */
  @SuppressWarnings("MutablePublicArray") // callers only pass it on
  public static final byte[] ITSELF = {'.'};

  public static final int AT_SYMLINK_NOFOLLOW = 0x100;
  public static final int AT_STATX_DONT_SYNC = 0x4000;

  public static final int O_RDONLY = 0;
  public static final int O_WRONLY = 1;
  public static final int O_RDWR = 2;
  public static final int O_CREAT = 0x40;
  public static final int O_EXCL = 0x80;
  public static final int O_NOCTTY = 0x100;
  public static final int O_NONBLOCK = 0x800;
  public static final int O_PATH = 0x200000;

  private static final boolean ARM = System.getProperty("os.arch").equals("aarch64");

  /** Constants are permuted on ARM. */
  public static final int O_DIRECTORY = ARM ? 0x4000 : 0x10000;

  public static final int O_DIRECT = ARM ? 0x10000 : 0x4000;

  public static final int O_NOFOLLOW = ARM ? 0x8000 : 0x20000;

  /** The kernel's own bit, and the one that makes older kernels refuse it. */
  public static final int O_TMPFILE = 0x400000 | O_DIRECTORY;

  /**
   * Reads a regular file, not a link. O_NONBLOCK: opening does not wait, whatever has replaced the
   * file.
   */
  public static final int O_FILE = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;

  public static final int S_IFREG = 0x8000;

  public static final int DT_UNKNOWN = 0;
  public static final int DT_DIR = 4;

  private Flags() {}
}
