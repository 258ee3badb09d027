package io.fdt.core.error;

import java.io.IOException;

/**
 * A failure with its row in {@link ErrorCode} and one line for a person: what, where and what to
 * do.
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
   * What nobody foresaw: want of memory or threads, or a defect.
   *
   * @param what went wrong by it: "reading failed"
   */
  public static FdtException unforeseen(String what, Throwable thrown) {
    if (thrown instanceof OutOfMemoryError) {
      return new FdtException(
          ErrorCode.RESOURCES,
          "%s: Java has no more memory or threads (%s): start it with java -Xmx256m or more, or take smaller blocks"
              .formatted(what, thrown.getMessage()),
          thrown);
    }
    ErrorCode code =
        thrown instanceof VirtualMachineError ? ErrorCode.RESOURCES : ErrorCode.INTERNAL;
    return new FdtException(code, what + ": " + thrown, thrown);
  }

  public ErrorCode code() {
    return code;
  }
}
