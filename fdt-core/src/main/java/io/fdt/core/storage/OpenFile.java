package io.fdt.core.storage;

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
 * <p>Any thread, several at once. The descriptor is closed when {@link #close} was called and the
 * last read or write has ended, so that none can hit a file that got the same number.
 */
final class OpenFile implements AutoCloseable {
  private static final int CLOSED = 1 << 31;

  private final int descriptor;
  private final Supplier<String> path;

  /** Reads and writes under way; {@link #CLOSED} is added by close. */
  private final AtomicInteger users = new AtomicInteger();

  /**
   * Takes over a descriptor.
   *
   * @param path its path for people, asked for only when something fails
   */
  OpenFile(int descriptor, Supplier<String> path) {
    this.descriptor = descriptor;
    this.path = path;
  }

  /** For people. */
  String path() {
    return path.get();
  }

  /**
   * Appends bytes of the file to a buffer that has room for them.
   *
   * @return how many; fewer than {@code length} only at the end of the file
   */
  int read(ByteBuf target, int length, long offset) throws FdtException {
    target.ensureWritable(length);
    int start = target.writerIndex();
    acquire();
    try {
      int read =
          isAddressable(target)
              ? readAll(addressOf(target, start, length), length, offset)
              : readThroughScratch(target, length, offset);
      target.writerIndex(start + read);
      return read;
    } finally {
      release();
    }
  }

  /** Writes all readable bytes of a buffer, whose indices stay. */
  void write(ByteBuf source, long offset) throws FdtException {
    int start = source.readerIndex();
    int length = source.readableBytes();
    acquire();
    try {
      if (isAddressable(source)) {
        writeAll(addressOf(source, start, length), length, offset);
      } else if (source.nioBufferCount() > 0) {
        writeParts(source.nioBuffers(start, length), offset);
      } else {
        writePart(source.nioBuffer(start, length), offset);
      }
    } finally {
      release();
    }
  }

  /** Runs one system call on the descriptor. */
  int call(Call call) throws FdtException {
    acquire();
    try {
      return call.on(descriptor);
    } finally {
      release();
    }
  }

  /** A system call on a descriptor; gives its result. */
  interface Call {
    int on(int descriptor);
  }

  @Override
  public void close() {
    closeNow();
  }

  /**
   * Closes it; idempotent.
   *
   * @return 0, or the negative error number with which the file system reports data that it lost
   */
  int closeNow() {
    int before = users.getAndUpdate(count -> count | CLOSED);
    return before == 0 ? Kernel.close(descriptor) : 0;
  }

  private void acquire() throws FdtException {
    int before = users.getAndUpdate(count -> count < 0 ? count : count + 1);
    if (before < 0) {
      throw new FdtException(ErrorCode.CANCELLED, "'" + path() + "' was closed before it was done");
    }
  }

  private void release() {
    if (users.decrementAndGet() == CLOSED) {
      Kernel.close(descriptor);
    }
  }

  /** Whether the bytes of a buffer lie in one piece outside the heap. */
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

  private int readAll(long address, int length, long offset) throws FdtException {
    int done = 0;
    while (done < length) {
      int read = Kernel.pread(descriptor, address + done, length - done, offset + done);
      if (read < 0) {
        throw Errno.ofData(-read, "read", path());
      }
      if (read == 0) {
        break;
      }
      done += read;
    }
    return done;
  }

  private int readThroughScratch(ByteBuf target, int length, long offset) throws FdtException {
    Scratch scratch = Scratch.ofThread();
    ByteBuffer data = scratch.data();
    int start = target.writerIndex();
    int done = 0;
    while (done < length) {
      int wanted = Math.min(length - done, Scratch.DATA_LENGTH);
      int read = readAll(scratch.dataAddress(), wanted, offset + done);
      target.setBytes(start + done, data.clear().limit(read));
      done += read;
      if (read < wanted) {
        break;
      }
    }
    return done;
  }

  private void writeAll(long address, int length, long offset) throws FdtException {
    int done = 0;
    while (done < length) {
      int written = Kernel.pwrite(descriptor, address + done, length - done, offset + done);
      if (written < 0) {
        throw Errno.ofData(-written, "write", path());
      }
      done += written;
    }
  }

  private void writeParts(ByteBuffer[] parts, long offset) throws FdtException {
    long at = offset;
    for (ByteBuffer part : parts) {
      int length = part.remaining();
      writePart(part, at);
      at += length;
    }
  }

  private void writePart(ByteBuffer part, long offset) throws FdtException {
    if (part.isDirect()) {
      writeAll(addressOf(part), part.remaining(), offset);
      return;
    }
    Scratch scratch = Scratch.ofThread();
    ByteBuffer data = scratch.data();
    long at = offset;
    while (part.hasRemaining()) {
      int length = Math.min(part.remaining(), Scratch.DATA_LENGTH);
      data.clear().put(part.slice().limit(length));
      part.position(part.position() + length);
      writeAll(scratch.dataAddress(), length, at);
      at += length;
    }
  }
}
