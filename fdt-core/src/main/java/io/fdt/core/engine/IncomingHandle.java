package io.fdt.core.engine;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.manifest.Entry;
import io.fdt.core.manifest.FileName;
import io.fdt.core.storage.DestinationDirectory;
import io.fdt.core.storage.DestinationDirectory.PendingFile;
import io.fdt.core.storage.DiskId;
import io.netty.buffer.ByteBuf;

/**
 * One file that is being received, from its first block to its final name. Made by the first writer
 * that needs it.
 *
 * <p>Thread-safe: several writers of a disk may work on one file.
 */
final class IncomingHandle {
  private final Entry entry;
  private final DestinationDirectory directory;
  private final FileName name;
  private PendingFile pending;
  private boolean closed;

  /** Writes that were submitted and are not done; confined to the session's event loop. */
  int writes;

  IncomingHandle(Entry entry, DestinationDirectory directory, FileName name) {
    this.entry = entry;
    this.directory = directory;
    this.name = name;
  }

  DiskId disk() {
    return directory.disk();
  }

  /** For people. */
  String path() {
    return directory.path() + "/" + name;
  }

  void write(ByteBuf bytes, long offset) throws FdtException {
    pending().write(bytes, offset);
  }

  void publish() throws FdtException {
    pending().publish(entry.mode(), entry.modified());
    close();
  }

  private synchronized PendingFile pending() throws FdtException {
    if (closed) {
      throw new FdtException(ErrorCode.CANCELLED, path() + ": given up");
    }
    if (pending == null) {
      pending = directory.createFile(name, entry.size());
    }
    return pending;
  }

  /** Gives back what is held; removes what was not published. Idempotent. */
  synchronized void close() {
    closed = true;
    if (pending != null) {
      pending.close();
      pending = null;
    }
  }
}
