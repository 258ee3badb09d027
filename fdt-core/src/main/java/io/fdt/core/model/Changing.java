package io.fdt.core.model;

/** The treatment of a source file that changes after the walk has seen it. */
public enum Changing {
  /** The file fails; others continue. */
  FAIL,

  /** It is skipped without counting as a failure. */
  SKIP,

  /**
   * Copies as many bytes as the walk saw, with their content at the time of reading. A file that
   * became shorter, vanished, or was replaced under its name, fails.
   */
  COPY
}
