package io.fdt.core.filter;

import io.fdt.core.model.BytePath;

/**
 * The outcome of one file.
 *
 * @param path at this end; {@link FilteredTransfer#file} resolves it
 * @param size bytes; 0 for a file that failed or was skipped
 * @param digest of a file that was moved, in hexadecimal digits; empty when there is none
 * @param message the reason for a failure or a skip; empty otherwise
 */
public record FileResult(
    FileOutcome outcome, BytePath path, long size, String digest, String message) {
  public enum FileOutcome {
    /** Moved, and verified. */
    DONE,
    /** Already there. */
    UNCHANGED,
    /** Failed. */
    FAILED,
    /** A kind that is never copied. */
    SKIPPED
  }
}
