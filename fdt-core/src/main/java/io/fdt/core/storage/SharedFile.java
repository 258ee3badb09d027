package io.fdt.core.storage;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;

/** A file that a data node, which sees the same file system, can open as well. Any thread. */
public interface SharedFile {
  /**
   * Its path in the exports, as clients name it. A file that grows is written by others, too, from
   * now on.
   *
   * @throws FdtException its journal cannot take note of that
   */
  BytePath share() throws FdtException;
}
