package io.fdt.core.model;

/** How the data of large files passes the page cache of each end's machine. */
public enum DirectIo {
  /**
   * Through the cache. Behind the cursor of a copy larger than half of the memory available, it is
   * dropped again.
   */
  AUTO,

  /** Around it (O_DIRECT), if the file system can. */
  ON,

  /** Through it, and it stays there. */
  OFF
}
