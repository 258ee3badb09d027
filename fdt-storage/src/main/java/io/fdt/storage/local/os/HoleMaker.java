package io.fdt.storage.local.os;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.Range;
import io.fdt.storage.posix.Errno;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/** Creates holes in open files; pure functions on them. */
public final class HoleMaker {
  /** Bytes of a block of zeros. */
  private static final int ZEROS = 64 << 10;

  private HoleMaker() {}

  /**
   * Makes a range read as zeros: by a hole, or by zeros if holes are not supported.
   *
   * @param isZero whether the range is known to be zero: then a hole is optional
   */
  public static void make(FileDescriptor file, Range range, boolean isZero) throws FdtException {
    int result = file.call(descriptor -> Syscalls.punch(descriptor, range.start(), range.length()));
    if (result == -Errno.EOPNOTSUPP || result == -Errno.ENOSYS) {
      if (!isZero) {
        writeZeros(file, range);
      }
    } else if (result < 0) {
      throw Errno.ofData(-result, "make a hole in", file.path());
    }
  }

  private static void writeZeros(FileDescriptor file, Range range) throws FdtException {
    ByteBuf zeros = Unpooled.wrappedBuffer(new byte[ZEROS]);
    for (long at = range.start(); at < range.end(); at += ZEROS) {
      int length = Math.toIntExact(Math.min(ZEROS, range.end() - at));
      file.write(zeros.slice(0, length), at);
    }
  }
}
