package io.fdt.core.storage.destination;

import io.fdt.core.error.FdtException;
import io.fdt.core.storage.os.Errno;
import io.fdt.core.storage.os.FileDescriptor;
import java.util.function.LongConsumer;

/** Has a large file written to its device piece by piece, so that it can be seen to go on. */
final class PieceByPiece {
  /** Of a device with 100 MB/s the work of less than a second. */
  private static final long FORCED_AT_ONCE = 64 << 20;

  private PieceByPiece() {}

  /**
   * Begins what fsync ends.
   *
   * @param forced is told how many bytes are on their device
   * @return 0, or a negative error number
   */
  static int force(FileDescriptor file, FinishingCalls calls, long size, LongConsumer forced)
      throws FdtException {
    for (long at = 0; at < size; at += FORCED_AT_ONCE) {
      long offset = at;
      int result = file.call(descriptor -> calls.writeBack(descriptor, offset, FORCED_AT_ONCE));
      if (result == -Errno.EINVAL || result == -Errno.ENOSYS || result == -Errno.ESPIPE) {
        return 0; // not on this file system: fsync does it all
      }
      if (result < 0) {
        return result;
      }
      forced.accept(Math.min(FORCED_AT_ONCE, size - at));
    }
    return 0;
  }
}
