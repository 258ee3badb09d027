package io.fdt.server.connection;

import com.google.protobuf.ByteString;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.EntryKind;
import io.fdt.core.storage.ListedFile;
import io.fdt.core.storage.ListingVisitor;
import io.fdt.core.wire.control.ReadFile;
import io.fdt.server.limits.ReadPace;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.function.LongConsumer;

/** Reads a range of a file for a client, one reply at a time. Memory: one reply. */
final class RangeRead {
  private RangeRead() {}

  /**
   * Sends the range, or as much of it as the file has.
   *
   * @param read takes how many bytes were read, also when the client is gone
   * @throws FdtException WRONG_KIND for anything but a file; SOURCE_CHANGED when it is not the
   *     requested file; any failure of the answer when the client is gone
   */
  static void of(
      ListingVisitor.Item item,
      ReadFile range,
      RequestAnswer answer,
      ReadPace pace,
      LongConsumer read)
      throws FdtException, InterruptedException {
    if (!item.attributes().is(EntryKind.FILE)) {
      boolean isDirectory = item.attributes().is(EntryKind.DIRECTORY);
      throw new FdtException(
          ErrorCode.WRONG_KIND,
          "'%s' is %s: only files are read; name one"
              .formatted(item.name(), isDirectory ? "a directory" : "not a file"));
    }
    if (range.getIdentity() != 0 && range.getIdentity() != item.attributes().identity()) {
      throw new FdtException(
          ErrorCode.SOURCE_CHANGED,
          "'%s' was replaced by another file while it was read; open it again"
              .formatted(item.name()));
    }
    try (ListedFile file = item.opener().open();
        ReadPace.Turn turn = pace.begin()) {
      send(file, range, answer, turn, read);
    }
  }

  private static void send(
      ListedFile file, ReadFile range, RequestAnswer answer, ReadPace.Turn turn, LongConsumer sent)
      throws FdtException, InterruptedException {
    long offset = range.getOffset();
    long left = Math.min(range.getLength(), Long.MAX_VALUE - offset);
    ByteBuf block = ByteBufAllocator.DEFAULT.directBuffer(RequestAnswer.BYTES_PER_REPLY);
    try {
      while (left > 0) {
        int wanted = Math.toIntExact(Math.min(left, RequestAnswer.BYTES_PER_REPLY));
        int read = file.read(block.clear(), wanted, offset);
        if (read > 0) {
          answer.pause(turn.nanosToWait(read, System.nanoTime()));
          answer.data(ByteString.copyFrom(block.nioBuffer(0, read)));
        }
        offset += Math.max(read, 0);
        left -= read;
        if (read < wanted) {
          return;
        }
        answer.goesOn();
      }
    } finally {
      sent.accept(offset - range.getOffset());
      block.release();
    }
  }
}
