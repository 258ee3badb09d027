package io.fdt.storage.local.destination;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.Range;
import io.fdt.storage.local.destination.replace.FinishingCalls;
import io.fdt.storage.local.os.FileDescriptor;
import io.fdt.storage.posix.Errno;
import java.util.function.LongConsumer;

/** Syncs a large file piece by piece, so that its progress is visible. */
final class PieceByPiece {
  /** The size of a piece: less than a second for a device with 100 MB/s. */
  private static final long FORCED_AT_ONCE = 64 << 20;

  private PieceByPiece() {}

  /**
   * Starts writing before fsync.
   *
   * @param forced receives the number of bytes on their device
   * @return 0, or a negative error number
   */
  static int force(FileDescriptor file, FinishingCalls calls, long size, LongConsumer forced)
      throws FdtException {
    return force(file, calls, new Range(0, Math.max(0, size)), forced); // unknown: fsync alone
  }

  /** Syncs a range of a file. */
  static int force(FileDescriptor file, FinishingCalls calls, Range range, LongConsumer forced)
      throws FdtException {
    for (long at = range.start(); at < range.end(); at += FORCED_AT_ONCE) {
      long offset = at;
      long length = Math.min(FORCED_AT_ONCE, range.end() - at);
      int result = file.call(descriptor -> calls.writeBack(descriptor, offset, length));
      if (result == -Errno.EINVAL || result == -Errno.ENOSYS || result == -Errno.ESPIPE) {
        return 0; // not supported here: fsync does all
      }
      if (result < 0) {
        return result;
      }
      forced.accept(length);
    }
    return 0;
  }
}
