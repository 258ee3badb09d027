package io.fdt.core.filter;

import io.fdt.core.model.BytePath;

/**
 * What became of one file.
 *
 * @param path at this end; {@link FilteredTransfer#file} says where that is
 * @param size bytes; 0 for what failed or was skipped
 * @param digest of a file that was moved, in hexadecimal digits; empty when there is none
 * @param message why it failed or was skipped; empty otherwise
 */
public record FileResult(
    FileOutcome outcome, BytePath path, long size, String digest, String message) {
  /** What can become of a file. */
  public enum FileOutcome {
    /** Moved, and verified. */
    DONE,
    /** It was there already. */
    UNCHANGED,
    /** It did not arrive. */
    FAILED,
    /** It is of a kind that is never copied. */
    SKIPPED
  }
}
