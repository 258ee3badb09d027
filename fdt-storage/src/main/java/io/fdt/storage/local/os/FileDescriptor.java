package io.fdt.storage.local.os;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.storage.posix.Errno;
import io.netty.buffer.ByteBuf;
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
      int read = Syscalls.read(descriptor, target, length, offset);
      if (read < 0) {
        throw Errno.ofData(-read, "read", path());
      }
      return read;
    } finally {
      release();
    }
  }

  /** Writes all readable bytes of a buffer, whose indices do not change. */
  public void write(ByteBuf source, long offset) throws FdtException {
    acquire();
    try {
      int result = Syscalls.write(descriptor, source, offset);
      if (result < 0) {
        throw Errno.ofData(-result, "write", path());
      }
    } finally {
      release();
    }
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
   * Closes the descriptor; idempotent.
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
}
