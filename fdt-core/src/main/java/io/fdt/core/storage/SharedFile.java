package io.fdt.core.storage;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;

/** A file that a data node can also open, because it sees the same file system. Any thread. */
public interface SharedFile {
  /**
   * Identifies the file for data nodes.
   *
   * @param path in the exports, as clients name it
   * @param inode its number within its file system
   * @param start its offset in the file of that name, of which it is a part; 0 for the whole
   * @param fileSize bytes of that file; 0 when it is the whole
   */
  record Shared(BytePath path, long inode, long start, long fileSize) {
    /** A whole file. */
    public Shared(BytePath path, long inode) {
      this(path, inode, 0, 0);
    }
  }

  /**
   * Allows data nodes to open the file. They may also write a file that grows.
   *
   * @throws FdtException it cannot be examined, or its journal cannot record the sharing
   */
  Shared share() throws FdtException;
}
