package io.fdt.core.storage;

import io.fdt.core.error.FdtException;
import io.fdt.core.manifest.Range;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/** Makes holes in open files; pure functions on them. */
final class HoleMaker {
  private HoleMaker() {}

  /**
   * Has a range read as zeros: a hole, or zeros where the file system makes none.
   *
   * @param isZero whether nothing but zeros can be there: then it need not become a hole
   */
  static void make(OpenFile file, Range range, boolean isZero) throws FdtException {
    int result = file.call(descriptor -> Kernel.punch(descriptor, range.start(), range.length()));
    if (result == -Errno.EOPNOTSUPP || result == -Errno.ENOSYS) {
      if (!isZero) {
        writeZeros(file, range);
      }
    } else if (result < 0) {
      throw Errno.ofData(-result, "make a hole in", file.path());
    }
  }

  private static void writeZeros(OpenFile file, Range range) throws FdtException {
    ByteBuf zeros = Unpooled.wrappedBuffer(new byte[Scratch.DATA_LENGTH]);
    for (long at = range.start(); at < range.end(); at += Scratch.DATA_LENGTH) {
      int length = Math.toIntExact(Math.min(Scratch.DATA_LENGTH, range.end() - at));
      file.write(zeros.slice(0, length), at);
    }
  }
}
