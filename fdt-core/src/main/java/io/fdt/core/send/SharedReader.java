package io.fdt.core.send;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.Range;
import io.fdt.core.session.sender.SenderMachine;
import io.fdt.core.storage.BlockReader;
import io.fdt.core.storage.SourceTree.SourceFile;
import io.netty.buffer.ByteBuf;
import java.util.List;

/**
 * One large file, shared by all readers of its disk: opened by the first reader, closed after the
 * last block. A repeated block reopens it, as does each read before the first block.
 *
 * <p>Thread-safe.
 */
final class SharedReader {
  private final SourceFile file;
  private final long size;
  private BlockReader reader;
  private int users;
  private long unread;

  SharedReader(SourceFile file, long size) {
    this.file = file;
    this.size = size;
    this.unread = size;
  }

  /**
   * Appends one block to {@code target}, and checks that the file has not changed.
   *
   * @param repeated whether this block has been read before
   * @return bytes read; fewer than {@code length} when the file has become shorter
   */
  int read(ByteBuf target, int length, long offset, boolean repeated) throws FdtException {
    BlockReader open = acquire();
    try {
      int read = open.read(target, length, offset);
      open.checkUnchanged();
      return read;
    } finally {
      release(repeated ? 0 : length);
    }
  }

  /** The holes of the file. */
  List<Range> holes() throws FdtException {
    BlockReader open = acquire();
    try {
      List<Range> holes = open.holes(SenderMachine.MAX_HOLES);
      open.checkUnchanged();
      return holes;
    } finally {
      release(0);
    }
  }

  private synchronized BlockReader acquire() throws FdtException {
    if (reader == null) {
      reader = file.open();
    }
    users++;
    return reader;
  }

  private synchronized void release(long read) {
    users--;
    unread -= read;
    if (unread <= 0 || unread == size) { // a file that is only hashed may wait for long
      closeIfUnused();
    }
  }

  /** Closes the file after its last block; a later read reopens it. */
  synchronized void retire() {
    unread = 0;
    closeIfUnused();
  }

  private void closeIfUnused() {
    if (users == 0 && reader != null) {
      reader.close();
      reader = null;
    }
  }
}
