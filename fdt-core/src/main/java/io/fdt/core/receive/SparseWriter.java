package io.fdt.core.receive;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.Range;
import io.fdt.core.storage.DestinationDirectory.PendingFile;
import io.netty.buffer.ByteBuf;

/**
 * Writes blocks of sparse files: pages of zeros become holes, so that a block takes only as much
 * disk space as its data.
 *
 * <p>Stateless; any thread.
 */
final class SparseWriter {
  /** The block size of nearly every file system. */
  static final int PAGE = 4 << 10;

  private SparseWriter() {}

  /** Writes all readable bytes of a block, whose reader and writer index do not move. */
  static void write(PendingFile file, ByteBuf block, long offset) throws FdtException {
    int length = block.readableBytes();
    int start = 0;
    while (start < length) {
      boolean zeros = isZeros(block, offset, start);
      int end = pageEnd(offset, start, length);
      while (end < length && isZeros(block, offset, end) == zeros) {
        end = pageEnd(offset, end, length);
      }
      if (zeros) {
        file.makeHole(new Range(offset + start, offset + end));
      } else {
        file.write(block.slice(block.readerIndex() + start, end - start), offset + start);
      }
      start = end;
    }
  }

  /** The end of this byte's page, or of the block. */
  private static int pageEnd(long offset, int at, int length) {
    return Math.toIntExact(Math.min(length, at + PAGE - (offset + at) % PAGE));
  }

  /** Whether the rest of the page from this byte on, within the block, is zeros. */
  private static boolean isZeros(ByteBuf block, long offset, int at) {
    int index = block.readerIndex() + at;
    int end = block.readerIndex() + pageEnd(offset, at, block.readableBytes());
    for (; index + Long.BYTES <= end; index += Long.BYTES) {
      if (block.getLong(index) != 0) {
        return false;
      }
    }
    for (; index < end; index++) {
      if (block.getByte(index) != 0) {
        return false;
      }
    }
    return true;
  }
}
