package io.fdt.plan.work;

import io.fdt.client.TransferReport;
import io.fdt.core.error.FdtException;

/** Events of a worker, on the worker's thread. */
public interface WorkerListener {
  /** An attempt at a unit begins; the last step is the unit "final". */
  default void started(String unit, int attempt) {}

  default void ended(String unit, int attempt, TransferReport report) {}

  /** An attempt has failed before it began: the file of the unit cannot be read. */
  default void unusable(String unit, int attempt, FdtException reason) {}

  /** A server is too busy for a unit: the worker keeps it and tries again. */
  default void busy(String unit, String reason) {}

  /** A unit was taken over from a worker that counts as dead. */
  default void takenOver(String unit, String from) {}

  /** Nothing can be claimed, and units of others still run. */
  default void waiting() {}
}
