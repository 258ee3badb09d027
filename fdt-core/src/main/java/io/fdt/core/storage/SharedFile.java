package io.fdt.core.storage;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;

/** A file that a data node, which sees the same file system, can open as well. Any thread. */
public interface SharedFile {
  /**
   * How others find it.
   *
   * @param path in the exports, as clients name it
   * @param inode its number within its file system, which others see as well
   * @param start where it begins in the file of that name, of which it is a part; 0 for the whole
   * @param fileSize bytes of that file; 0 when it is the whole
   */
  record Shared(BytePath path, long inode, long start, long fileSize) {
    /** A whole file. */
    public Shared(BytePath path, long inode) {
      this(path, inode, 0, 0);
    }
  }

  /**
   * Lets others open it. A file that grows is written by others, too, from now on.
   *
   * @throws FdtException it cannot be examined, or its journal cannot take note of that
   */
  Shared share() throws FdtException;
}
