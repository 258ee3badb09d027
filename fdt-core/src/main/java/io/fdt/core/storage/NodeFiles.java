package io.fdt.core.storage;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Timestamp;
import io.netty.buffer.ByteBuf;

/**
 * The files of a data node, by the front end's paths. Opens only files in the node's own exports,
 * follows no link, and writes only partial files. Any thread.
 */
public interface NodeFiles extends AutoCloseable {
  /**
   * A file to read.
   *
   * @param size as seen by the front end
   * @param modified as seen by the front end
   * @param inode as seen by the front end
   * @throws FdtException SOURCE_CHANGED when the local file differs; NOT_FOUND, PERMISSION, ...
   */
  SourceTree.SourceFile source(BytePath path, long size, Timestamp modified, long inode)
      throws FdtException;

  /**
   * Opens a partial file for writing.
   *
   * @param inode as seen by the front end
   * @throws FdtException FORBIDDEN unless it is a partial file; SOURCE_CHANGED when the local file
   *     differs; NOT_FOUND, PERMISSION, ...
   */
  Partial partial(BytePath path, long inode) throws FdtException;

  /** Closes the files opened for reading. */
  @Override
  void close();

  /** A partial file open for writing. Several threads may write at once. */
  interface Partial extends AutoCloseable {
    /**
     * Writes all readable bytes of {@code source}, whose reader and writer index do not move, at
     * {@code offset}.
     */
    void write(ByteBuf source, long offset) throws FdtException;

    /**
     * Closes the file and reports failed writes, which a network file system may delay until now.
     *
     * @param force whether to sync its bytes to the device first
     * @throws FdtException IO, STORAGE_FULL: it is closed, and may lack bytes
     */
    void finish(boolean force) throws FdtException;

    /** Closes the file, ignoring failures. Idempotent. */
    @Override
    void close();
  }
}
