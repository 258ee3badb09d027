package io.fdt.compare;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * The system calls that FDT makes for a small file at each end, without FDT: openat, O_TMPFILE and
 * linkat, fchmod, utimensat. Linux on x86-64 and AArch64; one thread each.
 */
final class FileCalls {
  /**
   * The attributes of a source file.
   *
   * @param seconds of its last modification
   */
  record Seen(long size, int mode, long seconds, int nanos) {}

  private static final int AT_FDCWD = -100;
  private static final int AT_SYMLINK_NOFOLLOW = 0x100;
  private static final int AT_SYMLINK_FOLLOW = 0x400;
  private static final int AT_EMPTY_PATH = 0x1000;
  private static final int O_RDWR = 2;
  private static final int O_CLOEXEC = 0x80000;
  private static final int O_PATH = 0x200000;

  /** O_TMPFILE without O_DIRECTORY, whose value depends on the architecture. */
  private static final int O_TMPFILE = 0x400000;

  private static final boolean ARM = System.getProperty("os.arch").equals("aarch64");
  private static final int O_DIRECTORY = ARM ? 0x4000 : 0x10000;
  private static final int O_NOFOLLOW = ARM ? 0x8000 : 0x20000;
  private static final long SYS_STATX = ARM ? 291 : 332;

  /** STATX_BASIC_STATS. */
  private static final int WANTED = 0x7ff;

  private static final long UTIME_OMIT = (1L << 30) - 2;
  private static final int UNREADABLE = 0600;

  private static final int SECOND_NAME = 1024;
  private static final int STATX = 2048;
  private static final int TIMES = 3072;
  private static final int SCRATCH = 4096;
  private static final byte[] ITSELF = {'.'};
  private static final byte[] NOTHING = {};

  static {
    Native.register(FileCalls.class, NativeLibrary.getProcess());
  }

  private final ByteBuffer scratch =
      ByteBuffer.allocateDirect(SCRATCH).order(ByteOrder.nativeOrder());
  private final long address = addressOf(scratch);
  private final ByteBuffer block;
  private final long blockAddress;
  private boolean linksByProc;

  /**
   * @param block a direct buffer that files are read into and written from
   */
  FileCalls(ByteBuffer block) {
    this.block = block;
    this.blockAddress = addressOf(block);
  }

  private static native int openat(int directory, long name, int flags, int mode);

  private static native int close(int descriptor);

  private static native long pread(int descriptor, long to, long length, long offset);

  private static native long pwrite(int descriptor, long from, long length, long offset);

  private static native int fchmod(int descriptor, int mode);

  private static native int futimens(int descriptor, long times);

  private static native int linkat(int from, long name, int to, long newName, int flags);

  private static native long syscall(
      long number, int directory, long name, int flags, int wanted, long to);

  private static long addressOf(ByteBuffer buffer) {
    return Pointer.nativeValue(Native.getDirectBufferPointer(buffer));
  }

  private long put(int offset, byte[] name) throws IOException {
    if (name.length >= SECOND_NAME) {
      throw new IOException("too long a name");
    }
    scratch.put(offset, name).put(offset + name.length, (byte) 0);
    return address + offset;
  }

  private static long check(String call, long result) throws IOException {
    if (result < 0) {
      throw new IOException(call + ": error " + Native.getLastError());
    }
    return result;
  }

  /** Opens a directory and returns its descriptor, valid until {@link #end}. */
  int openDirectory(Path directory) throws IOException {
    byte[] path = directory.toString().getBytes(StandardCharsets.UTF_8);
    int flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
    return (int) check("openat", openat(AT_FDCWD, put(0, path), flags, 0));
  }

  static void end(int descriptor) throws IOException {
    check("close", close(descriptor));
  }

  /** Reads the attributes of a file. */
  Seen look(int directory, byte[] name) throws IOException {
    return look(directory, name, AT_SYMLINK_NOFOLLOW);
  }

  private Seen look(int directory, byte[] name, int flags) throws IOException {
    check("statx", syscall(SYS_STATX, directory, put(0, name), flags, WANTED, address + STATX));
    return new Seen(
        scratch.getLong(STATX + 40),
        scratch.getShort(STATX + 28) & 07777,
        scratch.getLong(STATX + 112),
        scratch.getInt(STATX + 120));
  }

  /** Reads all of a file into the block; its size must be the one seen. */
  void read(int directory, byte[] name, Seen seen) throws IOException {
    int descriptor =
        (int) check("openat", openat(directory, put(0, name), O_NOFOLLOW | O_CLOEXEC, 0));
    long at = blockAddress + block.position();
    if ((seen.size() > 0 && check("pread", pread(descriptor, at, seen.size(), 0)) < seen.size())
        || !look(descriptor, NOTHING, AT_EMPTY_PATH).equals(seen)) {
      throw new IOException("a file changed while it was read");
    }
    end(descriptor);
    block.position(block.position() + (int) seen.size());
  }

  /**
   * Writes the next bytes of the block to a file, which appears complete, with its mode and time.
   */
  void write(int directory, byte[] name, Seen source) throws IOException {
    int flags = O_TMPFILE | O_DIRECTORY | O_RDWR | O_CLOEXEC;
    int descriptor = (int) check("openat", openat(directory, put(0, ITSELF), flags, UNREADABLE));
    long at = blockAddress + block.position();
    if (source.size() > 0
        && check("pwrite", pwrite(descriptor, at, source.size(), 0)) < source.size()) {
      throw new IOException("no room");
    }
    check("fchmod", fchmod(descriptor, source.mode()));
    scratch.putLong(TIMES, 0).putLong(TIMES + 8, UTIME_OMIT);
    scratch.putLong(TIMES + 16, source.seconds()).putLong(TIMES + 24, source.nanos());
    check("futimens", futimens(descriptor, address + TIMES));
    link(descriptor, directory, name);
    end(descriptor);
    block.position(block.position() + (int) source.size());
  }

  /** Uses /proc/self/fd: before Linux 6.10, only root may link a descriptor directly. */
  private void link(int descriptor, int directory, byte[] name) throws IOException {
    long to = put(SECOND_NAME, name);
    if (linksByProc || linkat(descriptor, put(0, NOTHING), directory, to, AT_EMPTY_PATH) < 0) {
      linksByProc = true;
      byte[] link = ("/proc/self/fd/" + descriptor).getBytes(StandardCharsets.US_ASCII);
      check("linkat", linkat(AT_FDCWD, put(0, link), directory, to, AT_SYMLINK_FOLLOW));
    }
  }
}
