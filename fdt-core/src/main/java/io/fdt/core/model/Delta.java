package io.fdt.core.model;

/** When the receiver of a file looks for its bytes in the file that it replaces. */
public enum Delta {
  /**
   * For large files, where the network is much slower than the disks and a sample has equal bytes.
   */
  AUTO,

  /** Never: each file is sent whole. */
  OFF,

  /** For all files that are not small. */
  ALWAYS
}
