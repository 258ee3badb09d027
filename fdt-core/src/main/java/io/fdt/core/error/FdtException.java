package io.fdt.core.error;

import java.io.IOException;

/**
 * A failure: its row in {@link ErrorCode}, and a message of one line that says what failed, where,
 * and what to do.
 */
public final class FdtException extends IOException {
  private final ErrorCode code;

  public FdtException(ErrorCode code, String message) {
    this(code, message, null);
  }

  public FdtException(ErrorCode code, String message, Throwable cause) {
    super(message, cause);
    this.code = code;
  }

  /**
   * An unforeseen failure: out of memory or threads, or a defect.
   *
   * @param what the operation, as in "reading failed"
   */
  public static FdtException unforeseen(String what, Throwable thrown) {
    if (!(thrown instanceof OutOfMemoryError)) {
      return new FdtException(ErrorCode.INTERNAL, what + ", a defect: " + thrown, thrown);
    }
    String message = String.valueOf(thrown.getMessage());
    String advice =
        message.contains("native thread")
            ? "the system gives Java no more threads, see ulimit -u and the limits of the service"
                + " or container"
            : "Java has no more memory, a larger -Xmx or smaller blocks ("
                + Setting.BLOCK_SIZE
                + ") help";
    return new FdtException(
        ErrorCode.RESOURCES, what + ": " + advice + " (" + message + ")", thrown);
  }

  /** Whether this process, not the peer, ran out of memory or threads. */
  public boolean isLocalResourceFailure() {
    return getCause() instanceof OutOfMemoryError;
  }

  public ErrorCode code() {
    return code;
  }
}
