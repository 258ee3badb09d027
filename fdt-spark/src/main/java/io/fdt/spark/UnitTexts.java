package io.fdt.spark;

import io.fdt.core.error.FdtException;
import io.fdt.plan.Plan;

/**
 * The names of the files of units, for tasks that may copy them. They are read when Spark sends a
 * task to an executor, each time anew, so that the driver holds no names. In the driver; any
 * thread.
 */
final class UnitTexts {
  private static final byte[] NONE = {};

  private final Plan plan;
  private volatile boolean isOver;

  UnitTexts(Plan plan) {
    this.plan = plan;
  }

  /**
   * The names of a unit; none of the last step, nor when the copy is over: then tasks read what is
   * kept of results.
   *
   * @throws FdtException the plan cannot be read
   */
  byte[] of(int unit) throws FdtException {
    return isOver || unit == UnitsRdd.LAST_STEP ? NONE : plan.unitText(unit);
  }

  /** The copy is over. */
  void end() {
    isOver = true;
  }
}
