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

  public ErrorCode code() {
    return code;
  }
}
