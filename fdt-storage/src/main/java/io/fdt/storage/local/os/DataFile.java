package io.fdt.storage.local.os;

import io.fdt.core.error.FdtException;
import io.fdt.storage.posix.Errno;
import io.fdt.storage.posix.Flags;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The data of an open file, read and written as the {@link CachePolicy} says: through the page
 * cache, dropped from it behind the cursor, or around it.
 *
 * <pre>
 *   0                            cursor
 *   | dropped | being written back | dirty |       16 MiB each
 * </pre>
 *
 * <p>Any thread, several at once. The descriptor stays its creator's, who closes it after this.
 */
public final class DataFile implements AutoCloseable {
  /** Below this, a file is not worth the calls. */
  private static final long LARGE_BYTES = 16 << 20;

  /** A part that stands for the whole file, when its pages in the cache are counted. */
  private static final int SAMPLE_BYTES = 4 << 20;

  /** Bytes between two calls: 1 of 16 blocks pays for them. */
  private static final long STEP = 16 << 20;

  private final FileDescriptor file;

  /** The same file, opened for direct I/O; null for none. */
  private final FileDescriptor direct;

  private final CachePolicy policy;
  private final long size;

  /** Whether it was in the cache before: it stays there, for its other readers. */
  private final boolean wasCached;

  private final AtomicLong moved = new AtomicLong();

  private DataFile(
      FileDescriptor file,
      FileDescriptor direct,
      CachePolicy policy,
      long size,
      boolean wasCached) {
    this.file = file;
    this.direct = direct;
    this.policy = policy;
    this.size = size;
    this.wasCached = wasCached;
  }

  private static DataFile open(
      FileDescriptor file, CachePolicy policy, long size, boolean wasCached, int access)
      throws FdtException {
    FileDescriptor direct = null;
    if (size >= LARGE_BYTES && policy.isDirect()) {
      int opened = file.call(descriptor -> Syscalls.reopenDirect(descriptor, access));
      if (opened >= 0) {
        direct = new FileDescriptor(opened, file::path);
      } else {
        policy.refused(file.path());
      }
    }
    return new DataFile(file, direct, policy, size, wasCached);
  }

  /** A file of a source. */
  public static DataFile read(FileDescriptor file, long size, CachePolicy policy)
      throws FdtException {
    boolean wasCached = size >= LARGE_BYTES && policy.isAuto() && isMiddleCached(file, size);
    return open(file, policy, size, wasCached, Flags.O_RDONLY);
  }

  /** A file of a destination, whose size may be unknown. */
  public static DataFile written(FileDescriptor file, long size, CachePolicy policy)
      throws FdtException {
    policy.found(size);
    return open(file, policy, size, false, Flags.O_RDWR);
  }

  private static boolean isMiddleCached(FileDescriptor file, long size) throws FdtException {
    long middle = size / 2 / SAMPLE_BYTES * SAMPLE_BYTES;
    return file.call(descriptor -> Syscalls.mayBeCached(descriptor, middle, SAMPLE_BYTES) ? 1 : 0)
        != 0;
  }

  /** As {@link FileDescriptor#read}. */
  public int read(ByteBuf target, int length, long offset) throws FdtException {
    int done = 0;
    // The end of the file, no multiple of a page, goes through the page cache.
    int whole = aligned(Math.min(length, size - offset), offset);
    if (whole > 0) {
      done = readDirect(target, whole, offset);
    }
    if (done < length) {
      done += file.read(target, length - done, offset + done);
    }
    if (passes(done) && offset > 0) { // 0 would be the whole file
      int unused = file.call(descriptor -> Syscalls.dropCache(descriptor, offset));
    }
    return done;
  }

  /**
   * As {@link FileDescriptor#write}.
   *
   * @return 0, or the negative error number by which earlier bytes were lost
   */
  public int write(ByteBuf source, long offset) throws FdtException {
    int length = source.readableBytes();
    int done = writeDirect(source, aligned(length, offset), offset);
    if (done < length) {
      file.write(
          done == 0 ? source : source.slice(source.readerIndex() + done, length - done),
          offset + done);
    }
    return passes(length) ? file.call(DataFile::dropBehind) : 0;
  }

  /**
   * Drops the rest of a written file that drops behind the cursor; waits for its device.
   *
   * @return 0, or the negative error number by which bytes were lost
   */
  public int finish() throws FdtException {
    return size >= LARGE_BYTES && direct == null && policy.dropsBehind()
        ? file.call(
            descriptor -> {
              int result = supported(Syscalls.writeBack(descriptor, 0, 0));
              return result < 0 ? result : Syscalls.dropCache(descriptor, 0);
            })
        : 0;
  }

  /** Waits for the pages of the previous step, which are dropped; begins to write those of this. */
  private static int dropBehind(int descriptor) {
    int result = supported(Syscalls.startWriteBack(descriptor));
    return result < 0 ? result : Syscalls.dropCache(descriptor, 0);
  }

  private static int supported(int result) {
    return result == -Errno.EINVAL || result == -Errno.ENOSYS || result == -Errno.ESPIPE
        ? 0
        : result;
  }

  /** Whether these bytes end a step after which cached pages are dropped. */
  private boolean passes(int count) {
    if (size < LARGE_BYTES || wasCached || direct != null || !policy.dropsBehind()) {
      return false;
    }
    long now = moved.addAndGet(count);
    return now / STEP != (now - count) / STEP;
  }

  /** The length of the part that direct I/O can move; 0 for none. */
  private int aligned(long length, long offset) {
    return direct == null || offset % AlignedBuffers.ALIGNMENT != 0 || length <= 0
        ? 0
        : (int) (length - length % AlignedBuffers.ALIGNMENT);
  }

  private int readDirect(ByteBuf target, int length, long offset) throws FdtException {
    ByteBuf buffer = AlignedBuffers.take();
    try {
      int done = 0;
      while (done < length) {
        int part = Math.min(length - done, buffer.capacity());
        long at = offset + done;
        int read = direct.call(descriptor -> Syscalls.read(descriptor, buffer.clear(), part, at));
        if (read != part) { // refused after all, or the file became shorter
          return done;
        }
        target.writeBytes(buffer);
        done += part;
      }
      return done;
    } finally {
      AlignedBuffers.giveBack(buffer);
    }
  }

  private int writeDirect(ByteBuf source, int length, long offset) throws FdtException {
    if (length == 0) {
      return 0;
    }
    ByteBuf buffer = AlignedBuffers.take();
    try {
      int done = 0;
      while (done < length) {
        int part = Math.min(length - done, buffer.capacity());
        long at = offset + done;
        buffer.clear().writeBytes(source, source.readerIndex() + done, part);
        int result = direct.call(descriptor -> Syscalls.write(descriptor, buffer, at));
        if (result == -Errno.EINVAL) {
          policy.refused(file.path());
          return done;
        }
        if (result < 0) {
          throw Errno.ofData(-result, "write", file.path());
        }
        done += part;
      }
      return done;
    } finally {
      AlignedBuffers.giveBack(buffer);
    }
  }

  @Override
  public void close() {
    if (direct != null) {
      direct.close();
    }
  }
}
