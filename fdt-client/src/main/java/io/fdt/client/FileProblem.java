package io.fdt.client;

import io.fdt.core.error.ErrorCode;

/**
 * A file, directory or link that failed or was skipped.
 *
 * @param path escaped: control characters and bytes that are not text
 * @param skipped true for kinds that are never copied (a device, a socket, a FIFO), false for a
 *     failure
 * @param code the kind of failure
 * @param message one line: what failed, where, what to do
 */
public record FileProblem(String path, boolean skipped, ErrorCode code, String message) {
  /** Whether the deletion as a whole was refused, rather than one file. */
  public boolean isOfDeletion() {
    return path.isEmpty() && (code == ErrorCode.TOO_MANY || code == ErrorCode.SOURCE_EMPTY);
  }
}
