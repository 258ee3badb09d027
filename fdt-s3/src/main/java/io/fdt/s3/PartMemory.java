package io.fdt.s3;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import java.util.ArrayDeque;

/**
 * The memory of the parts of all files of one transfer. At the limit a writer waits for the upload
 * of another part; while nothing is uploaded it gets more, since only that part can make the next
 * one complete.
 *
 * <p>Thread-safe.
 */
final class PartMemory {
  private static final int MOST_FREE = 8;

  private final long limit;
  private final ArrayDeque<byte[]> free = new ArrayDeque<>();
  private long held;
  private int uploading;

  PartMemory(long limit) {
    this.limit = limit;
  }

  /** Memory for a part, of undefined content. */
  synchronized byte[] take(int length) throws FdtException {
    try {
      while (held + length > limit && uploading > 0) {
        wait();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FdtException(ErrorCode.CANCELLED, "the upload was cancelled", e);
    }
    held += length;
    byte[] first = free.poll();
    return first != null && first.length == length ? first : new byte[length];
  }

  synchronized void uploadBegins() {
    uploading++;
  }

  /** The upload of a part has ended; its memory is free. */
  synchronized void uploadEnds(byte[] part) {
    uploading--;
    giveBack(part);
  }

  /** A part that is not uploaded is given up. */
  synchronized void giveBack(byte[] part) {
    held -= part.length;
    if (free.size() < MOST_FREE) {
      free.push(part);
    }
    notifyAll();
  }

  synchronized long held() {
    return held;
  }
}
