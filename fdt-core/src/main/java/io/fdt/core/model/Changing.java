package io.fdt.core.model;

/** What becomes of a file of the source that changes after the walk has seen it. */
public enum Changing {
  /** It fails, and no other. */
  FAIL,

  /** It is skipped, and does not count as a failure. */
  SKIP,

  /**
   * As many bytes as the walk has seen are copied, as they are when they are read. A file that
   * became shorter, that vanished, or whose name another file has now, fails.
   */
  COPY
}
