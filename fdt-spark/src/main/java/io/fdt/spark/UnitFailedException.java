package io.fdt.spark;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;

/**
 * An attempt at a unit that another executor, or a later attempt, may well do. Spark runs the task
 * again, and gives up after {@code spark.task.maxFailures}.
 */
final class UnitFailedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final ErrorCode code;

  /**
   * An exception whose message a person understands.
   *
   * @param unit for the message: a unit, or the last step
   */
  UnitFailedException(String unit, FdtException cause) {
    // Without the cause: what an executor throws the driver reads, with its own classes.
    super(unit + ": " + cause.getMessage());
    this.code = cause.code();
  }

  ErrorCode code() {
    return code;
  }
}
