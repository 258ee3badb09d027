package io.fdt.core.session.sender;

/** The outcome of a file. */
public enum FileOutcome {
  /** The file is in place at the receiver, and verified. */
  DONE,
  /** The file was unchanged. */
  UNCHANGED,
  /** The same; it is newer than the source. */
  NEWER,
  /** A dry run: the file would be sent. */
  DUE,
  /** The same; it would replace an existing name. */
  REPLACEMENT_DUE,
  FAILED,
  /** The file changed while it was read, and is skipped. */
  SKIPPED
}
