package io.fdt.storage.local.os;

import io.fdt.core.error.FdtException;
import io.fdt.storage.posix.Errno;
import io.fdt.storage.posix.Flags;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Iterates over the names in a directory, in the order of the file system, without "." and "..".
 *
 * <p>Memory: 64 KiB of names. Not thread-safe. Consecutive listings may share a buffer.
 */
public final class DirectoryListing implements AutoCloseable {
  /** Room for at least 230 of the longest names per system call, for about 2,000 usual ones. */
  static final int BUFFER_LENGTH = 64 << 10;

  // Header of a record: inode (8), offset (8), record length (2), type (1), then the name with a
  // NUL.
  private static final int RECORD_LENGTH = 16;
  private static final int TYPE = 18;
  private static final int NAME = 19;

  private final int descriptor;
  private final ByteBuffer buffer;
  private final String path;
  private int filled;
  private int nextRecord;
  private byte[] name;
  private int type;

  private DirectoryListing(int descriptor, ByteBuffer buffer, String path) {
    this.descriptor = descriptor;
    this.buffer = buffer.order(ByteOrder.nativeOrder());
    this.path = path;
  }

  public static ByteBuffer newBuffer() {
    return ByteBuffer.allocateDirect(BUFFER_LENGTH);
  }

  /** Opens a directory for reading its names. */
  public static DirectoryListing open(Directory directory, ByteBuffer buffer) throws FdtException {
    int pinned = directory.pin();
    try {
      int opened = Syscalls.open(pinned, Flags.ITSELF, Flags.O_RDONLY | Flags.O_DIRECTORY, 0);
      if (opened < 0) {
        throw Errno.ofName(-opened, "read the directory", directory.path());
      }
      return new DirectoryListing(opened, buffer, directory.path());
    } finally {
      directory.unpin();
    }
  }

  /** Moves to the next name; false after the last one. */
  public boolean next() throws FdtException {
    do {
      if (nextRecord >= filled && !fill()) {
        return false;
      }
      int start = nextRecord;
      nextRecord += Short.toUnsignedInt(buffer.getShort(start + RECORD_LENGTH));
      type = buffer.get(start + TYPE);
      name = nameAt(start + NAME);
    } while (isSelfOrParent());
    return true;
  }

  private boolean fill() throws FdtException {
    filled = Syscalls.readDirectory(descriptor, buffer);
    nextRecord = 0;
    if (filled < 0) {
      int errno = -filled;
      filled = 0;
      throw Errno.ofData(errno, "read the directory", path);
    }
    return filled > 0;
  }

  private byte[] nameAt(int start) {
    int end = start;
    while (buffer.get(end) != 0) {
      end++;
    }
    byte[] bytes = new byte[end - start];
    buffer.get(start, bytes);
    return bytes;
  }

  private boolean isSelfOrParent() {
    return name[0] == '.' && (name.length == 1 || (name.length == 2 && name[1] == '.'));
  }

  /** The bytes of the name; a few file systems have longer ones than 255. */
  public byte[] name() {
    return name;
  }

  /** DT_DIR, DT_REG, ... or DT_UNKNOWN when the file system does not report it. */
  public int type() {
    return type;
  }

  @Override
  public void close() {
    Syscalls.close(descriptor);
  }
}
