package io.fdt.spark;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;

/**
 * A failed attempt at a unit; another executor, or a later attempt, may succeed. Spark runs the
 * task again, and gives up after {@code spark.task.maxFailures}.
 */
final class UnitFailedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final ErrorCode code;

  /**
   * An exception with a message for the user.
   *
   * @param unit for the message: a unit, or the last step
   */
  UnitFailedException(String unit, FdtException cause) {
    // Without the cause: the driver deserializes the exception, and may lack the class of the
    // cause.
    super(unit + ": " + cause.getMessage());
    this.code = cause.code();
  }

  ErrorCode code() {
    return code;
  }
}
