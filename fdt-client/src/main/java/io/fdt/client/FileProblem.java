package io.fdt.client;

import io.fdt.core.error.ErrorCode;

/**
 * A file, directory or link that did not arrive.
 *
 * @param path for people: control characters and bytes that are not text are escaped
 * @param skipped true for what is never copied (a device, a socket, a FIFO), false for a failure
 * @param code which kind of failure
 * @param message one line: what, where, what to do
 */
public record FileProblem(String path, boolean skipped, ErrorCode code, String message) {
  /** Whether it is of no file: the deletion as a whole was refused. */
  public boolean isOfDeletion() {
    return path.isEmpty() && (code == ErrorCode.TOO_MANY || code == ErrorCode.SOURCE_EMPTY);
  }
}
