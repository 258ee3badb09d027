package io.fdt.core.model;

/** How a transfer treats names that Windows, FAT and SMB refuse, see {@link EncodedName}. */
public enum NameRule {
  /** Names stay as they are; the destination refuses those that it cannot store. */
  KEEP,

  /** The destination stores encoded names. */
  ENCODE,

  /** The names of the source are encoded, and are decoded. */
  DECODE
}
