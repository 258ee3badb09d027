package io.fdt.core.session.sender;

/** How a file ended. */
public enum FileOutcome {
  /** It is in place at the receiver, and verified. */
  DONE,
  /** It was there already. */
  UNCHANGED,
  /** A dry run: it would be sent. */
  DUE,
  FAILED,
  /** It has changed while it was read, and is left out. */
  SKIPPED
}
