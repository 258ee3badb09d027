package io.fdt.storage.local.os;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Timestamp;
import io.fdt.core.storage.Attributes;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;

/**
 * Native memory of one thread for arguments of system calls: two names, a statx structure, two
 * times.
 *
 * <pre>
 *       0   4,352        8,704    8,960   9,024
 *       | name | second name | statx | times | room for data, 64 KiB
 * </pre>
 *
 * <p>Confined to its thread; the content is valid until the next system call of that thread.
 */
public final class NativeBuffers {
  /**
   * PATH_MAX of Linux with its NUL, and some room so that the kernel rejects longer paths instead
   * of getting truncated ones.
   */
  static final int NAME_ROOM = 4_352;

  /** Bytes that pass through {@link #data} at a time. */
  static final int DATA_LENGTH = 64 << 10;

  private static final int SECOND_NAME = NAME_ROOM;
  private static final int STATX = 2 * NAME_ROOM;

  /** The unit of blocks in statx, whatever the file system. */
  private static final int STATX_BLOCK = 512;

  private static final int TIMES = STATX + 256;
  private static final int DATA = TIMES + 64;

  private static final ThreadLocal<NativeBuffers> OF_THREAD =
      ThreadLocal.withInitial(NativeBuffers::new);

  private static final Optional<EntryKind> FILE = Optional.of(EntryKind.FILE);
  private static final Optional<EntryKind> DIRECTORY = Optional.of(EntryKind.DIRECTORY);
  private static final Optional<EntryKind> SYMLINK = Optional.of(EntryKind.SYMLINK);

  private final ByteBuffer memory =
      ByteBuffer.allocateDirect(DATA + DATA_LENGTH).order(ByteOrder.nativeOrder());
  private final long address = Pointer.nativeValue(Native.getDirectBufferPointer(memory));
  private final byte[] name = new byte[FileName.MAX_LENGTH + 1];

  private NativeBuffers() {}

  public static NativeBuffers ofThread() {
    return OF_THREAD.get();
  }

  /** Stores a name with its NUL; returns its address. */
  long name(FileName fileName) {
    return put(0, fileName);
  }

  /** Stores a second name with its NUL; returns its address. */
  long secondName(FileName fileName) {
    return put(SECOND_NAME, fileName);
  }

  /**
   * Stores the bytes of a path with a NUL; returns its address, or -1 for a path that is too long.
   */
  long name(byte[] path) {
    return put(0, path);
  }

  /**
   * Stores the bytes of a second path with a NUL; returns its address, or -1 for a path that is too
   * long.
   */
  long secondName(byte[] path) {
    return put(SECOND_NAME, path);
  }

  private long put(int offset, FileName fileName) {
    int length = fileName.length();
    fileName.copyTo(name, 0);
    name[length] = 0;
    memory.put(offset, name, 0, length + 1);
    return address + offset;
  }

  private long put(int offset, byte[] path) {
    if (path.length >= NAME_ROOM) {
      return -1;
    }
    memory.put(offset, path);
    memory.put(offset + path.length, (byte) 0);
    return address + offset;
  }

  /** The target of statfs, which shares the room of statx. */
  long statfsAddress() {
    return address + STATX;
  }

  /** The type of file system from statfs. */
  long fileSystemType() {
    return memory.getLong(STATX);
  }

  /**
   * Whether statfs reports enough free space.
   *
   * @param isRoot whether this user may use reserved blocks, too
   */
  boolean hasRoom(long bytes, boolean isRoot) {
    long blocks = memory.getLong(STATX + 16);
    long free = memory.getLong(STATX + (isRoot ? 24 : 32));
    return blocks == 0 || free * memory.getLong(STATX + 72) >= bytes;
  }

  /** The target of statx. */
  long statxAddress() {
    return address + STATX;
  }

  /** Whether statx reports append-only: names are added to such a directory and stay. */
  boolean isAppendOnly() {
    return (memory.getLong(STATX + 8) & LibC.STATX_ATTR_APPEND) != 0;
  }

  /** The result of statx. */
  public Attributes attributes() {
    int mode = memory.getShort(STATX + 28);
    Optional<EntryKind> kind =
        switch (mode & LibC.S_IFMT) {
          case LibC.S_IFREG -> FILE;
          case LibC.S_IFDIR -> DIRECTORY;
          case LibC.S_IFLNK -> SYMLINK;
          default -> Optional.empty();
        };
    Timestamp modified = new Timestamp(memory.getLong(STATX + 112), memory.getInt(STATX + 120));
    long device =
        (Integer.toUnsignedLong(memory.getInt(STATX + 136)) << 32)
            | Integer.toUnsignedLong(memory.getInt(STATX + 140));
    return new Attributes(
        kind,
        memory.getLong(STATX + 40),
        mode & (kind.isPresent() ? 07777 : 0xFFFF),
        modified,
        new Timestamp(memory.getLong(STATX + 96), memory.getInt(STATX + 104)),
        device,
        memory.getLong(STATX + 32),
        Integer.toUnsignedLong(memory.getInt(STATX + 16)),
        memory.getLong(STATX + 48) * STATX_BLOCK,
        memory.getInt(STATX + 20),
        memory.getInt(STATX + 24));
  }

  /**
   * Stores a pair of times, with the access time set to now; returns its address. File systems on
   * version 2 of libfuse silently do nothing if one of both is to stay.
   */
  long times(Timestamp modified) {
    long nowMillis = System.currentTimeMillis();
    memory.putLong(TIMES, nowMillis / 1000);
    memory.putLong(TIMES + 8, nowMillis % 1000 * 1_000_000);
    memory.putLong(TIMES + 16, modified.seconds());
    memory.putLong(TIMES + 24, modified.nanos());
    return address + TIMES;
  }

  /** A buffer for copying data. */
  long dataAddress() {
    return address + DATA;
  }

  /** The room for data, as a buffer of its own from 0 to {@link #DATA_LENGTH}. */
  public ByteBuffer data() {
    return memory.slice(DATA, DATA_LENGTH);
  }
}
