package io.fdt.spark;

import io.fdt.core.error.FdtException;
import io.fdt.plan.Plan;

/**
 * The names of the files of units, for tasks that may copy them. They are read each time Spark
 * sends a task to an executor, so that the driver does not keep names. In the driver; any thread.
 */
final class UnitTexts {
  private static final byte[] NONE = {};

  private final Plan plan;
  private volatile boolean isOver;

  UnitTexts(Plan plan) {
    this.plan = plan;
  }

  /**
   * The names of a unit; none for the last step, and none after the copy, when tasks read cached
   * results.
   *
   * @throws FdtException the plan cannot be read
   */
  byte[] of(int unit) throws FdtException {
    return isOver || unit == UnitsRdd.LAST_STEP ? NONE : plan.unitText(unit);
  }

  /** Records that the copy has ended. */
  void end() {
    isOver = true;
  }
}
