package io.fdt.core.storage;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Timestamp;
import io.netty.buffer.ByteBuf;

/**
 * The files of a data node, by the paths that its front end gives. Only files in the node's own
 * exports are opened, no link is followed, and only partial files are written. Any thread.
 */
public interface NodeFiles extends AutoCloseable {
  /**
   * A file to read.
   *
   * @param size as the front end has seen it
   * @param modified the same
   * @param inode the same
   * @throws FdtException SOURCE_CHANGED when it is another one here; NOT_FOUND, PERMISSION, ...
   */
  SourceTree.SourceFile source(BytePath path, long size, Timestamp modified, long inode)
      throws FdtException;

  /**
   * Opens a partial file to write to it.
   *
   * @param inode as the front end has seen it
   * @throws FdtException FORBIDDEN for anything that is no partial file; SOURCE_CHANGED when it is
   *     another one here; NOT_FOUND, PERMISSION, ...
   */
  Partial partial(BytePath path, long inode) throws FdtException;

  /** Closes what was opened for reading. */
  @Override
  void close();

  /** A partial file that is open for writing. Writes may run on several threads at once. */
  interface Partial extends AutoCloseable {
    /** Writes all readable bytes of {@code source}, whose indices stay, at {@code offset}. */
    void write(ByteBuf source, long offset) throws FdtException;

    /**
     * Closes it; a network file system reports a failed write only now.
     *
     * @param force whether its bytes are forced to the device first
     * @throws FdtException IO, STORAGE_FULL: it is closed, and may lack bytes
     */
    void finish(boolean force) throws FdtException;

    /** Closes it when its bytes do not matter any more. Idempotent. */
    @Override
    void close();
  }
}
