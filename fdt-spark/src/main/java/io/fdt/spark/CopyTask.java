package io.fdt.spark;

import io.fdt.client.TransferRequest;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.plan.PlanHeader;
import io.fdt.plan.Units;
import java.io.Serializable;
import java.util.UUID;
import org.apache.spark.TaskContext;

/**
 * The common part of all tasks of a copy, sent to executors as a broadcast. Immutable; any thread.
 */
final class CopyTask implements Serializable {
  private static final long serialVersionUID = 1;

  /** The property of jobs that may copy: others only read cached results. */
  static final String MAY_COPY = "fdt.copy";

  private final String copy = UUID.randomUUID().toString();
  private final byte[] header;
  private final CopyTokens secrets;
  private final boolean keepsEvents;
  private final boolean deletes;

  /**
   * The work of a plan.
   *
   * @param keepsEvents whether results have lines for the report
   * @param deletes whether the last step deletes, if the copy requests it
   */
  CopyTask(PlanHeader header, CopyTokens secrets, boolean keepsEvents, boolean deletes) {
    this.header = header.toBytes();
    this.secrets = secrets;
    this.keepsEvents = keepsEvents;
    this.deletes = deletes;
  }

  /**
   * Copies a unit, in an executor.
   *
   * @param unit its number; {@link UnitsRdd#LAST_STEP} for the last step
   * @param text the names of its files
   * @throws UnitFailedException another attempt may succeed
   */
  UnitResult run(int unit, byte[] text, TaskContext context) {
    String name = unit == UnitsRdd.LAST_STEP ? "the last step" : "unit " + unit;
    try {
      if (context.getLocalProperty(MAY_COPY) == null) {
        throw new FdtException(
            ErrorCode.IO,
            "an executor was lost with the rows of this task; copy again: existing files are not"
                + " sent again");
      }
      PlanHeader whole = PlanHeader.ofBytes(header);
      TransferRequest request =
          unit == UnitsRdd.LAST_STEP
              ? Units.lastStep(whole, deletes)
              : Units.transfer(whole, unit, text, name);
      try (ExecutorClients.Lease clients = ExecutorClients.lease(copy, whole.settings(), secrets)) {
        return new UnitCopy(clients, request, new RowCollector(keepsEvents, Units.isRange(request)))
            .run(unit, context.attemptNumber() + 1);
      }
    } catch (FdtException e) {
      throw new UnitFailedException(name, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UnitFailedException(
          name, new FdtException(ErrorCode.CANCELLED, "Spark has ended this attempt"));
    }
  }

  @Override
  public String toString() {
    return "CopyTask[" + copy + "]";
  }
}
