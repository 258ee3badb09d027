package io.fdt.storage.local.os;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * A descriptor of a regular file, with reads and writes at offsets.
 *
 * <p>Any thread, several at once. It is closed after {@link #close} and the end of the last read or
 * write, so that none can hit a file with a reused number.
 */
public final class FileDescriptor implements AutoCloseable {
  private static final int CLOSED = 1 << 31;

  private final int descriptor;
  private final Supplier<String> path;

  /** Reads and writes in progress; {@link #CLOSED} is added by close. */
  private final AtomicInteger users = new AtomicInteger();

  /**
   * Takes over a descriptor.
   *
   * @param path for messages, called only on failure
   */
  public FileDescriptor(int descriptor, Supplier<String> path) {
    this.descriptor = descriptor;
    this.path = path;
  }

  public String path() {
    return path.get();
  }

  /**
   * Appends bytes of the file to a buffer with enough room.
   *
   * @return how many; fewer than {@code length} only at the end of the file
   */
  public int read(ByteBuf target, int length, long offset) throws FdtException {
    acquire();
    try {
      int read = read(descriptor, target, length, offset);
      if (read < 0) {
        throw Errno.ofData(-read, "read", path());
      }
      return read;
    } finally {
      release();
    }
  }

  /**
   * Reads from a descriptor owned by the caller; a negative error number is the result of a
   * failure.
   */
  public static int read(int descriptor, ByteBuf target, int length, long offset) {
    target.ensureWritable(length);
    int start = target.writerIndex();
    int read =
        isAddressable(target)
            ? readAll(descriptor, addressOf(target, start, length), length, offset)
            : readThroughScratch(descriptor, target, length, offset);
    target.writerIndex(start + Math.max(0, read));
    return read;
  }

  /** Writes all readable bytes of a buffer, whose indices stay. */
  public void write(ByteBuf source, long offset) throws FdtException {
    acquire();
    try {
      int result = write(descriptor, source, offset);
      if (result < 0) {
        throw Errno.ofData(-result, "write", path());
      }
    } finally {
      release();
    }
  }

  /** Writes to a descriptor owned by the caller; returns 0, or a negative error number. */
  public static int write(int descriptor, ByteBuf source, long offset) {
    int start = source.readerIndex();
    int length = source.readableBytes();
    if (isAddressable(source)) {
      return writeAll(descriptor, addressOf(source, start, length), length, offset);
    }
    return source.nioBufferCount() > 0
        ? writeParts(descriptor, source.nioBuffers(start, length), offset)
        : writePart(descriptor, source.nioBuffer(start, length), offset);
  }

  /** Runs one system call on the descriptor. */
  public int call(Call call) throws FdtException {
    acquire();
    try {
      return call.on(descriptor);
    } finally {
      release();
    }
  }

  /** A system call on a descriptor; returns its result. */
  public interface Call {
    int on(int descriptor);
  }

  @Override
  public void close() {
    closeNow();
  }

  /**
   * Closes it; idempotent.
   *
   * @return 0, or the negative error number by which the file system reports lost data
   */
  public int closeNow() {
    int before = users.getAndUpdate(count -> count | CLOSED);
    return before == 0 ? Syscalls.close(descriptor) : 0;
  }

  private void acquire() throws FdtException {
    int before = users.getAndUpdate(count -> count < 0 ? count : count + 1);
    if (before < 0) {
      throw new FdtException(ErrorCode.CANCELLED, "'" + path() + "' was closed before it was done");
    }
  }

  private void release() {
    if (users.decrementAndGet() == CLOSED) {
      Syscalls.close(descriptor);
    }
  }

  /** Whether the bytes of a buffer are contiguous outside the heap. */
  private static boolean isAddressable(ByteBuf buffer) {
    return buffer.hasMemoryAddress() || (buffer.isDirect() && buffer.nioBufferCount() == 1);
  }

  private static long addressOf(ByteBuf buffer, int index, int length) {
    return buffer.hasMemoryAddress()
        ? buffer.memoryAddress() + index
        : addressOf(buffer.nioBuffer(index, length));
  }

  private static long addressOf(ByteBuffer buffer) {
    return Pointer.nativeValue(Native.getDirectBufferPointer(buffer)) + buffer.position();
  }

  private static int readAll(int descriptor, long address, int length, long offset) {
    int done = 0;
    while (done < length) {
      int read = Syscalls.pread(descriptor, address + done, length - done, offset + done);
      if (read < 0) {
        return read;
      }
      if (read == 0) {
        break;
      }
      done += read;
    }
    return done;
  }

  private static int readThroughScratch(int descriptor, ByteBuf target, int length, long offset) {
    NativeBuffers scratch = NativeBuffers.ofThread();
    ByteBuffer data = scratch.data();
    int start = target.writerIndex();
    int done = 0;
    while (done < length) {
      int wanted = Math.min(length - done, NativeBuffers.DATA_LENGTH);
      int read = readAll(descriptor, scratch.dataAddress(), wanted, offset + done);
      if (read < 0) {
        return read;
      }
      target.setBytes(start + done, data.clear().limit(read));
      done += read;
      if (read < wanted) {
        break;
      }
    }
    return done;
  }

  private static int writeAll(int descriptor, long address, int length, long offset) {
    int done = 0;
    while (done < length) {
      int written = Syscalls.pwrite(descriptor, address + done, length - done, offset + done);
      if (written < 0) {
        return written;
      }
      done += written;
    }
    return 0;
  }

  private static int writeParts(int descriptor, ByteBuffer[] parts, long offset) {
    long at = offset;
    int result = 0;
    for (int i = 0; i < parts.length && result >= 0; i++) {
      int length = parts[i].remaining();
      result = writePart(descriptor, parts[i], at);
      at += length;
    }
    return result;
  }

  private static int writePart(int descriptor, ByteBuffer part, long offset) {
    if (part.isDirect()) {
      return writeAll(descriptor, addressOf(part), part.remaining(), offset);
    }
    NativeBuffers scratch = NativeBuffers.ofThread();
    ByteBuffer data = scratch.data();
    long at = offset;
    int result = 0;
    while (part.hasRemaining() && result >= 0) {
      int length = Math.min(part.remaining(), NativeBuffers.DATA_LENGTH);
      data.clear().put(part.slice().limit(length));
      part.position(part.position() + length);
      result = writeAll(descriptor, scratch.dataAddress(), length, at);
      at += length;
    }
    return result;
  }
}
